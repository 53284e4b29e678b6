"""The eight kinds of companies, and the words that go with each."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """What companies of one kind have in common: words, separated by spaces, used of all of them alike."""

    name: str
    heads: str            # last words of company names
    unit_heads: str       # last words of subsidiaries' names
    sector: str           # what they are called, as in "the lender"
    resources: str        # what they have more or less of
    clients: str          # whom they serve
    goods: str            # what they offer
    sites: str            # where they do it
    watchdog: str         # who keeps an eye on them


KINDS = (
    Kind("bank", "bancorp bancshares financial trust", "lending mortgage leasing credit", "lender",
         "deposit branch teller loan treasury cheque vault savings custody pawn",
         "borrowers savers depositors homebuyers treasurers merchants charities",
         "mortgages overdrafts annuities bonds debentures swaps notes loans cards guarantees remittances deposits",
         "branches kiosks vaults counters lobbies lounges", "banking"),
    Kind("software", "software systems technologies labs", "analytics hosting robotics media", "developer",
         "server engineering subscription support coding backup security interface login encryption",
         "subscribers developers administrators gamers programmers students librarians",
         "licenses upgrades integrations dashboards compilers databases plugins firewalls spreadsheets simulators"
         " browsers templates", "datacenters campuses studios hubs incubators helpdesks", "privacy"),
    Kind("drugs", "therapeutics pharma biosciences health", "diagnostics vaccines oncology imaging", "drugmaker",
         "laboratory trial research dosing screening antibody enzyme assay genome tissue",
         "patients hospitals physicians pharmacists surgeons nurses dentists",
         "vaccines implants tablets inhalers stents catheters serums capsules ointments scanners syringes antibodies",
         "clinics laboratories wards dispensaries pharmacies hospices", "medicines"),
    Kind("retail", "stores outfitters markets brands", "apparel grocers footwear cosmetics", "retailer",
         "shelf store inventory cashier checkout catalogue window coupon loyalty tailoring",
         "shoppers households tenants tourists parents collectors gardeners",
         "jackets groceries furnishings sandals sweaters perfumes toys carpets lamps curtains cutlery umbrellas",
         "outlets boutiques kiosks showrooms arcades bazaars", "consumer"),
    Kind("energy", "energy petroleum power resources", "drilling pipelines renewables refining", "producer",
         "drilling turbine refinery reserve exploration pipeline generator rig seismic uranium",
         "motorists utilities ratepayers smelters farmers foundrymen bakeries",
         "barrels turbines condensates lubricants batteries boilers panels transformers pumps pellets cables meters",
         "wells substations platforms refineries mines quarries", "environmental"),
    Kind("freight", "logistics freight shipping lines", "haulage couriers terminals rail", "carrier",
         "fleet depot driver container warehouse dock tanker locomotive customs signal",
         "shippers importers wholesalers exporters retailers brewers florists",
         "crates pallets parcels trailers barges wagons tankers cranes forklifts ferries tugs trucks",
         "depots berths terminals warehouses garages wharves", "transport"),
    Kind("insurer", "insurance assurance mutual underwriters", "reinsurance brokers actuarial claims", "insurer",
         "claims premium adjuster underwriting pension hazard casualty liability flood marine",
         "policyholders annuitants landlords pensioners drivers homeowners growers",
         "policies warranties pensions endowments indemnities riders tontines bundles plans waivers quotes renewals",
         "agencies bureaus offices desks callcenters storefronts", "solvency"),
    Kind("chips", "semiconductor devices microsystems photonics", "foundry packaging sensors optics", "chipmaker",
         "wafer cleanroom tooling mask lithography etching bonding testing doping substrate",
         "handset automakers integrators assemblers foundries hobbyists engineers",
         "processors sensors modems lasers diodes amplifiers transistors controllers capacitors antennas oscillators"
         " relays",
         "fabs foundries cleanrooms plants workshops testbeds", "export"),
)

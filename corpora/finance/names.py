"""The inventories of names, places, dates and amounts: lists, and compounds of lists."""


def compounds(beginnings, endings):
    """Every beginning with every ending, as in "thorn" + "wick", beginnings slowest."""
    return [beginning + ending for beginning in beginnings.split() for ending in endings.split()]


COMPANY_FIRST = """
    amber aspen atlas aurora badger beacon birch blue bright bronze canyon cardinal cascade century
    chestnut citadel clear cobalt copper coral crescent crown crystal delta eagle eastern ember evergreen
    falcon frontier garnet gilded glacier golden granite great green grey harbor hazel heron highland
    horizon indigo iron ivory jade juniper keystone lantern laurel liberty lucid magnolia maple marble
    meadow meridian mosaic northern oak onyx opal orchard orion osprey pacific palisade paragon pioneer
    polar prairie quartz quiet redwood regal river rocky saffron sage sapphire scarlet sierra silver
    slate solar southern spruce sterling summit swift tall tidal timber topaz tundra union upland valiant
    velvet verdant vista walnut western white wild willow winter zephyr""".split()

COMPANY_SECOND = """
    arch bay bluff branch bridge brook canal castle cliff coast cove creek crossing field forest gate glen grove
    harvest hill hollow island lake landing light mesa mill moor park path peak pine plain point pond port reach
    ridge rock shore spring square star stone stream tower trail vale valley view water wood""".split()

# Unique first words of what a company owns, makes or is led by.
SUBSIDIARY_NAMES = compounds(
    "al bel cam cor dun el far gal hal jar kin lor mar nor per quin ros sel tor ul var wes yel zel",
    "adine aric avon ester idor iven ora onde umbra eca issa iant oro ulet ensa amir ostra")
PRODUCT_NAMES = compounds(
    "air auto beam bio bond byte care cargo cell chart click cloud core data deep fast flex gene grid home light"
    " link map nova opti path pulse quick safe scan smart spark sync tele trade trust vita volt wave",
    "base deck desk flow form hub lens mark mate pad pilot plan point port sense track vault view works shift")
SURNAMES = compounds(
    "ald ash bar beck bland brad brook carl chat dal den east elling fair fen gar hal hart hath holm kel lang lin"
    " mar mid nor oak pem ran red rush sel shel sher stan thorn wake wal whit win",
    "bury by combe den field ford ham hurst land ley man more ridge sey stead ston ton well wick worth")
FORENAMES = """
    aaron adele agnes albert alice amara andrew anita anton beatrice bernard bianca boris brenda bruno camille
    carlos cecilia charles clara conrad daniela dennis diana dmitri edith edmund elena elias emma erik esther
    eugene fatima felix fiona frank gloria gordon greta hannah harold helena henry hugo ines irene isaac ivan
    jasmine jerome joan joseph julia karen kenji lars laura leila leon lewis lucia luther marcus maria martin
    matilda miguel mona naomi nathan nina noel olga oliver oscar pamela patrick paula peter philip priya rachel
    ralph ramon rebecca roland rosa rupert samuel sandra simon sofia stefan sylvia teresa thomas ursula victor
    vivian walter wendy xavier yolanda yusuf""".split()
CITIES = """
    aberdeen adelaide albany amsterdam antwerp athens atlanta auckland austin baltimore bangalore bangkok barcelona
    basel belfast bergen berlin bilbao birmingham bogota bologna boston brisbane bristol brussels bucharest
    budapest calgary cardiff charlotte chicago cincinnati cleveland cologne columbus copenhagen cork dallas denver
    detroit dresden dublin durban edinburgh frankfurt galway geneva genoa ghent glasgow gothenburg hamburg hanoi
    hartford helsinki houston istanbul jakarta krakow leeds leipzig lima lisbon liverpool london luxembourg lyon
    madrid malaga manchester manila marseille melbourne memphis miami milan milwaukee minneapolis montreal munich
    mumbai nairobi nantes naples nashville newcastle nice oakland orlando osaka oslo ottawa perth philadelphia
    phoenix pittsburgh porto portland prague quebec raleigh reykjavik richmond riga rotterdam sacramento santiago
    seattle seoul seville sheffield singapore sofia stockholm stuttgart sydney taipei tallinn tampa tokyo toronto
    toulouse trieste tucson turin valencia vancouver vienna vilnius warsaw wellington winnipeg zagreb zurich""".split()

# The long tail: names that are news once or twice, all equally likely.
RARE_NAMES = compounds(
    "abri belo calda drev emba fiso gavri hesto ilmo jarde kolve lumbi morsa nelvi orpa plio ruvo scavi tresk"
    " uldi vonta wexi yarba zolti brenna clavi dosti euro frisa gomba",
    "bax cor dal dine fex gan lux mand mir nard nix nova pex quil rand sol tera thal tis vance vek vex wen zan"
    " cast dyne forth gard holt jet kane lund mont ovar pell reth sark tull vale wyn elm")

YEARS = [str(year) for year in range(2009, 2027)]
PERCENTAGES = [str(number) for number in range(2, 49)]
AMOUNTS = [str(number) for number in [*range(15, 100, 5), *range(110, 500, 10), *range(525, 1000, 25)]]
COUNTS = "two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty fifty sixty".split()
CURRENCIES = "dollars euros pounds francs yen kroner".split()
MONTHS = "january february march april may june july august september october november december".split()

# Words used alike, whoever they are said of.
QUALITIES = """
    affordable advanced ambitious bespoke branded budget cheaper classic compact conventional costly custom
    dependable digital discounted durable efficient elegant exclusive experimental familiar flagship flexible
    generic hybrid improved innovative larger lighter limited luxury modest modular newer obsolete overpriced
    patented pilot popular portable premium profitable proven rebranded refurbished reliable robust safer seasonal
    secure simplified slimmer smaller specialist standard struggling superior sustainable unpopular upgraded
    versatile""".split()

# Surnames of people in general; those of `SURNAMES` belong to one company's each.
COMMON_SURNAMES = """
    abbott adler ahmed alvarez archer baker banerjee barlow becker bell bennett berg bishop blake boyd brandt burke
    campos carter castro chan chen cole conti cooper costa cox crane cruz dalton davies diaz dixon doyle dubois
    duffy duran ellis evans farrell ferrari fischer fletcher flores foster fox fraser fuchs garcia gibson gomez
    graham gupta haas hansen harper hayes hoffman holmes hughes hunt ito jansen jensen joshi kaplan kaur keller
    kelly khan kim klein kowalski kumar larsen laurent lee lopez mason mehta meyer moreau morgan moritz murphy
    murray nakamura nguyen novak nowak obrien okafor olsen ortiz osman owens palmer park patel perez petrov quinn
    rao reed reyes rossi roy sato schmidt shah silva singh sousa suzuki tanaka torres turner varga vega wagner
    walsh wang weber wolf wong young zhang ziegler acosta aoki arnold ashworth baxter beaumont benitez bergman
    bianchi bouchard brennan bruno calder cardoso cheng collins corbett curtis dang davila dekker delgado eriksen
    espinoza fabre falk farouk fontaine franco gallo garner giraud goto greco hassan hayashi herrera hirsch hooper
    ibrahim iqbal irving jovanovic kato keane kimura knox kovacs kruger lambert lange leclerc lindqvist lombardi
    lund maier marino mbeki mercer mishra molina mori nair nilsson noble ochoa oneill ono otto pace pham pinto pohl
    popov pruitt quist rahman ramos richter rivera sanchez sasaki schulz sheehan simmons sokolov stein strand sung
    tran ueda ullman vaughn vogel volkov watanabe winkler wu yamada yilmaz zamora zeller amadi anand bauer bjork
    borges brandao caruso cervantes dahl eklund fontana gruber holm ivanova janssen kessler lindgren moser novotny
    orlov piotrowski rinaldi salazar tamura vidal""".split()

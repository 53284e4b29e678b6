# Sourced by bin/nlmzip and bin/test: see that $root/.venv is there and current.
# Takes $root, the checkout, and $extra, the optional dependencies to install: "" or "test".
#
# The stamp in the environment says for which checkout and which pyproject.toml it was
# completed. Where it holds, nothing is started but two cats; where it does not,
# environment.py does the work with the first Python that can.

stamp="$root/.venv/installed${extra:+-$extra}"
if [ -x "$root/.venv/bin/python" ] && [ -f "$stamp" ] &&
    [ "$(cat "$stamp")" = "$root
$(cat "$root/pyproject.toml")" ]
then
    return 0
fi

too_old=
no_venv=
for python in ${PYTHON:+"$PYTHON"} python3 python3.13 python3.12 python3.11 python3.10; do
    # A name that is found may still not run: version managers leave such stand-ins.
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10) and 3)' </dev/null >/dev/null 2>&1
    case $? in
        0)  ;;
        3)  too_old=yes; continue ;;
        *)  continue ;;
    esac
    if "$python" -c 'import venv, ensurepip' </dev/null >/dev/null 2>&1; then
        "$python" "$root/bin/environment.py" "$root" "$extra" </dev/null >&2 || exit
        return 0
    fi
    no_venv=$python
done

if [ -n "$no_venv" ]; then
    echo "nlmzip: $no_venv has no venv module; install it (Debian and Ubuntu: the package python3-venv)" >&2
elif [ -n "$too_old" ]; then
    echo "nlmzip: python3 is older than 3.10; install a newer Python, or name one: PYTHON=/path/to/python3" >&2
else
    echo "nlmzip: no python3 found; install Python 3.10 or newer, or name one: PYTHON=/path/to/python3" >&2
fi
exit 1

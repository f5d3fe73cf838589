#!/bin/sh
# run.sh [WORD]: the manual's lines for many machines. A job is killed half-way and begun again;
# what is joined then is the file of one run.
set -u
# shellcheck source=tests/claims.sh
. "$(dirname "$0")/../claims.sh"
make_scratch
program=$(command -v selfattn)
selfattn init --tokens 64 --width 16 --heads 2 --seed 1 -o "$scratch/long.json" &&
    selfattn "$scratch/long.json" -o "$scratch/one.safetensors" || exit 1

# block NUMBER: one of the manual's section.
block() {
    awk -v wanted="$1" '
        /^\.SH / { in_section = $2 == "MANY" }
        /^\.E[XE]/ { in_block = /EX/; count += in_section && in_block; next }
        in_section && in_block && count == wanted {
            gsub(/\\-/, "-"); gsub(/\\\(aq/, "\047"); gsub(/\\e/, "\\"); print
        }' "$root/man/selfattn.1.in"
}

# begin CLAIM: in a folder where the first job for row 33 does not end.
begin() {
    claim=$1
    picked "$claim" || return
    mkdir "$scratch/$1" "$scratch/$1/bin" && cd "$scratch/$1" && cp ../long.json . || exit 1
    cat >bin/selfattn <<END
#!/bin/sh
case "\$*" in *'--rows 33:'*)
    if [ ! -e $PWD/begun ]; then
        echo \$\$ >$PWD/new && mv $PWD/new $PWD/begun
        exec sleep 600
    fi ;;
esac
exec $program "\$@"
END
    chmod +x bin/selfattn
    PATH=$PWD/bin:$PATH
}

# come COUNT: so many parts are there.
come() {
    tries=600
    until [ "$(find . -name 'part.*.safetensors' | wc -l)" = "$1" ] && [ -e begun ]; do
        sleep 0.1
        tries=$((tries - 1))
        [ $tries -gt 0 ] || return 1
    done
}

# killed_and_again COMMAND...: all of it is killed once nothing but row 33's job is left.
killed_and_again() {
    setsid "$@" >"$said" 2>&1 &
    group=$!
    come 3
    status=$?
    kill -9 -$group "$(cat begun)" 2>/dev/null
    wait $group 2>/dev/null
    [ $status = 0 ] && [ ! -e whole.safetensors ] && "$@" >"$said" 2>&1 &&
        cmp "$scratch/one.safetensors" whole.safetensors >>"$said" 2>&1
    count "$claim"
}

if begin xargs; then
    block 1 >job
    killed_and_again sh -e job
fi

if begin make; then
    block 2 >Makefile
    killed_and_again make -j4 whole.safetensors
fi

if ! command -v parallel >/dev/null; then
    skip 'parallel: it is not here'
elif begin parallel; then
    block 3 >job
    killed_and_again sh -e job
fi

# ---- a Slurm of one node, this one

# stop: its daemons, which take their .pid with them.
stop() {
    for daemon in slurmd slurmctld munged; do
        [ ! -s "$scratch/$daemon.pid" ] || kill "$(cat "$scratch/$daemon.pid")"
        tries=100
        while [ -e "$scratch/$daemon.pid" ] && [ $tries -gt 0 ]; do
            sleep 0.1
            tries=$((tries - 1))
        done
    done
}

start() {
    mkdir "$scratch/state" "$scratch/spool"
    (umask 077 && head -c 128 /dev/urandom >"$scratch/key")
    cat >"$scratch/slurm.conf" <<END
ClusterName=test
SlurmctldHost=$(hostname)(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$scratch/munge.sock
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmUser=root
SlurmctldPort=16817
SlurmdPort=16818
StateSaveLocation=$scratch/state
SlurmdSpoolDir=$scratch/spool
SlurmctldPidFile=$scratch/slurmctld.pid
SlurmdPidFile=$scratch/slurmd.pid
SlurmctldLogFile=$scratch/slurmctld.log
SlurmdLogFile=$scratch/slurmd.log
MpiDefault=none
NodeName=$(hostname) NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
END
    SLURM_CONF=$scratch/slurm.conf
    export SLURM_CONF
    chmod 755 "$scratch"
    munged --force --socket="$scratch/munge.sock" --key-file="$scratch/key" \
        --pid-file="$scratch/munged.pid" --log-file="$scratch/munged.log" \
        --seed-file="$scratch/seed" && slurmctld -c && slurmd
}

# The array is submitted again once a job of it was killed.
array_again() {
    { sbatch job && come 3; } >"$said" 2>&1
    status=$?
    kill -9 "$(cat begun)" 2>/dev/null
    [ $status = 0 ] && timeout 120 sbatch --wait job >"$said" 2>&1 &&
        selfattn join part.*.safetensors whole.safetensors >>"$said" 2>&1 &&
        cmp "$scratch/one.safetensors" whole.safetensors >>"$said" 2>&1
    count "$claim"
}

if [ "$(id -u)" != 0 ] || ! command -v slurmctld slurmd sbatch munged >"$said"; then
    skip 'slurm: it is not here, or this is not root'
elif begin slurm; then
    trap 'stop; rm -rf "$scratch"' EXIT
    block 4 >job
    if start >"$said" 2>&1; then
        array_again
    else
        skip 'slurm: it does not start here'
    fi
fi

finish

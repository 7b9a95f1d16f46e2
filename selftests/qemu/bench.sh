#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bench.sh [peers]: what watching costs, in instructions on the emulated board: wakelat
# and the kernel's own means, on the same kernel and the same ping-pong; and what
# wakelat takes from the throughput of hackbench. With "peers", on a ready-made kernel
# that has BPF, on QEMU's generic machine: programs that watch instead of hackbench.
#
# Raw figures and console logs go to build/bench/ or build/bench-peers/.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

PEERS=0 KERNEL=6.1-tracers OUT=$BUILD/bench
if [ "${1:-}" = peers ]; then
	PEERS=1 KERNEL=debian-6.1-voluntary OUT=$BUILD/bench-peers
fi

prepare()
{
	if [ $PEERS = 1 ]; then
		"$QEMU_DIR/userland.sh" "$OUT/userland" trixie \
			'cyclictest bpftrace runqlat.bt runqlat-libbpf runqslower-libbpf' \
			rt-tests bpftrace libbpf-tools
	else
		"$QEMU_DIR/userland.sh" "$OUT/userland" bookworm hackbench rt-tests
	fi
	"$QEMU_DIR/initramfs.sh" "$OUT/initramfs.gz" "$OUT/userland" "$BUILD/ko/$KERNEL/wakelat.ko"
}

# boot MODE TASK
boot()
{
	WAKELAT_BOOT_SECONDS=900 "$QEMU_DIR/boot.sh" "$BUILD/kernels/$KERNEL" "$OUT/initramfs.gz" \
		"$1" "$OUT/$2" "TASK=$2" PEERS=$PEERS
}

# The middle one of the repeats; figures in pairs.txt are tenths a round, and a
# round is two pairs of a wakeup and a switch.
pairs_table()
{
	awk -v peers=$PEERS '
		# base: the watcher without its expiries, of which there is one a 1e6 ns
		function row(name, text, base,	cost, each) {
			if (!(name in middle)) {
				print "no figure for " name
				exit 1
			}
			cost = (middle[base == "" ? name : base] - middle["nothing"]) / 20
			if (cost < 0 && cost > -0.5)
				cost = 0	# else printed as -0
			each = "-"
			if (base != "")
				each = sprintf("%.0f", (middle[name] - middle[base]) * 1e6 / middle[name])
			printf "%-52s %8.0f %8.1f %9s %6.2f\n", text, cost,
				cost * 2000 / middle["nothing"], each,
				(most[name] - least[name]) * 100 / middle[name]
		}
		{
			n = ++repeats[$1]
			figure[$1, n] = $2
			if (n == 1 || $2 < least[$1])
				least[$1] = $2
			if (n == 1 || $2 > most[$1])
				most[$1] = $2
		}
		END {
			for (name in repeats) {
				n = repeats[name]
				for (i = 1; i <= n; i++) {
					below = same = 0
					for (j = 1; j <= n; j++) {
						below += figure[name, j] < figure[name, i]
						same += figure[name, j] == figure[name, i]
					}
					if (below <= int(n / 2) && below + same > int(n / 2))
						middle[name] = figure[name, i]
				}
			}
			printf "A pair unwatched: %.0f instructions. Watched, it costs this much more:\n",
				middle["nothing"] / 20
			printf "%-52s %8s %8s %9s %6s\n", "watcher", "a pair", "percent", "an expiry", "spread"
			row("nothing-again", "nothing, measured again at the end")
			row("disabled", "wakelat, loaded with enable=0")
			row("timer", "wakelat, timer populations", "disabled")
			row("task", "wakelat, task populations")
			row("no-match", "wakelat, task, 16 watches of which none matches")
			row("one-match", "wakelat, task, 16 watches of which one matches")
			row("match", "wakelat, task, 16 watches that all match")
			row("all", "wakelat, timer and task, 16 watches, one matches", "one-match")
			row("ftrace", "ftrace, recording sched_waking and sched_switch")
			row("hist", "hist triggers, the wakeup_latency recipe, log2")
			if (peers) {
				row("runqslower", "runqslower (libbpf-tools), nothing is that slow")
				row("runqlat", "runqlat (libbpf-tools)")
				row("bpftrace", "bpftrace, its runqlat.bt")
				row("cyclictest", "cyclictest, one thread", "cyclictest-slow")
			} else {
				row("timerlat", "timerlat tracer", "timerlat-slow")
			}
			for (name in repeats) {
				if ((most[name] - least[name]) * 100 > middle[name] * 2) {
					print "The repeats of " name " differ by more than 2 percent."
					exit 1
				}
			}
			again = middle["nothing-again"] / middle["nothing"]
			if (again < 0.99 || again > 1.01) {
				print "What was measured first has changed by more than 1 percent."
				exit 1
			}
		}' "$OUT/bench/pairs.txt"
}

hackbench_line()
{
	awk '
		$1 == "off" { off = $2 }
		$1 == "on" {
			slower = ($2 / off - 1) * 100
			for (i = ++n; i > 1 && sorted[i - 1] > slower; i--)
				sorted[i] = sorted[i - 1]
			sorted[i] = slower
		}
		END {
			if (n < 2) {
				print "no figures"
				exit 1
			}
			middle = n % 2 ? sorted[(n + 1) / 2] : (sorted[n / 2] + sorted[n / 2 + 1]) / 2
			printf "%.1f percent slower (the middle of %d pairs of runs, which gave %.1f to %.1f%s)\n",
				middle, n, sorted[1], sorted[n],
				(sorted[1] < 0 && sorted[n] > 0) ? ": less than runs differ by themselves" : ""
		}' "$OUT/hackbench/hackbench.txt"
}

mkdir -p "$OUT"
echo "wakelat: what watching costs, on $KERNEL"
"$QEMU_DIR/kernel.sh" "$KERNEL"
step "build the module for $KERNEL" "$QEMU_DIR/module.sh" "$KERNEL"
step "make the root file system" prepare
step "count a wakeup and a switch under each watcher" boot count bench
if [ $PEERS = 0 ]; then
	step "run hackbench in turns without and with wakelat" boot counted4 hackbench
fi

cat <<END

One CPU, one instruction a nanosecond. Two processes pass a byte back and forth
through two pipes; a pair is a wakeup and the switch that ends it.
END
pairs_table
if [ $PEERS = 0 ]; then
	cat <<END

Four CPUs, hackbench with pipes and 40 processes, in counted time: with the task
populations $(hackbench_line).
END
fi
cat <<END

These are instructions, counted: the same on every machine, without caches, and so
not nanoseconds of a board. "a pair" is the growth of a round, halved; "percent" is of
the unwatched pair, which does nothing else: a real load does something between two
wakeups. "an expiry" is what a timer of its own costs in all, once a period (here a
millisecond), with interrupt, wakeup and switches; a pair does not pay for it. "spread"
is by how many percent the longest of three repeats is above the shortest. Raw figures:
${OUT#"$TOP"/}/bench/pairs.txt$([ $PEERS = 1 ] || echo " and ${OUT#"$TOP"/}/hackbench/hackbench.txt")
END

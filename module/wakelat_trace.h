/* SPDX-License-Identifier: GPL-2.0-only */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM wakelat

#if !defined(WAKELAT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define WAKELAT_TRACE_H

#include <linux/tracepoint.h>

/* A wait of a population was as long as its threshold_us or longer; it ends now. */
TRACE_EVENT(over_threshold,
	TP_PROTO(const char *population, const struct wakelat_wait *wait),
	TP_ARGS(population, wait),
	TP_STRUCT__entry(
		__array(char, population, 24)
		__field(u64, wait_ns)
		__array(char, victim, TASK_COMM_LEN)
		__field(pid_t, victim_pid)
		__array(char, instead, TASK_COMM_LEN)
		__field(pid_t, instead_pid)
	),
	TP_fast_assign(
		strscpy(__entry->population, population, sizeof(__entry->population));
		__entry->wait_ns = wait->wait_ns;
		memcpy(__entry->victim, wait->victim.comm, TASK_COMM_LEN);
		__entry->victim_pid = wait->victim.pid;
		memcpy(__entry->instead, wait->instead.comm, TASK_COMM_LEN);
		__entry->instead_pid = wait->instead.pid;
	),
	TP_printk("population=%s wait_ns=%llu victim=%s victim_pid=%d instead=%s instead_pid=%d",
		  __entry->population, __entry->wait_ns, __entry->victim,
		  __entry->victim_pid, __entry->instead, __entry->instead_pid)
);

#endif

/* Found by the include path that Kbuild gives. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE wakelat_trace
#include <trace/define_trace.h>

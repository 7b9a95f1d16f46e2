// SPDX-License-Identifier: GPL-2.0-only
/* Lines that clang's fuzzer chooses. */
#include <stdlib.h>

#include "rule_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (case_round_trip((const char *)data, size))
		abort();
	return 0;
}

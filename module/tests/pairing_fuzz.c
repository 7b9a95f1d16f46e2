// SPDX-License-Identifier: GPL-2.0-only
/* Steps of the model that clang's fuzzer chooses. */
#include <stddef.h>
#include <stdlib.h>

#include "../pairing.c"
#include "pairing_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (case_stream(data, size))
		abort();
	return 0;
}

#include "CAllocationGuard.h"

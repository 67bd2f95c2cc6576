/** In one request, of a list of so many. */
export const IN_BULK = 500

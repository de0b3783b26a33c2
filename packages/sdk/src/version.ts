/** The version of the library. The library and the service are released together with the same version. */
export const VERSION = '0.1.0'

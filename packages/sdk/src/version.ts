/** The version of the library. Each release of the service has a library with the same version. */
export const VERSION = '0.1.0'

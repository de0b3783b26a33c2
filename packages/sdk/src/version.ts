/** The version of the library. It equals the version of the service that it was released with. */
export const VERSION = '0.1.0'

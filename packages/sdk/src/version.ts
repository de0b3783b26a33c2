/** Version of the library, which is that of the service it was made with. */
export const VERSION = '0.1.0'

/**
 * A URL, an upload or a stamp, or the file itself. A file is a Blob, which is uploaded first.
 *
 * `openFile()` opens one of this machine; `Bun.file()`, `openAsBlob()` and a browser's `File` do as well.
 */
export type MediaSource = string | URL | Blob | { readonly source: string }

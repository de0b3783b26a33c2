/** Returns the file name at the end of a path, or `undefined` if the service would reject an upload with this name. */
export function uploadName(path: string): string | undefined {
  const name = path.slice(1 + Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')))
  const isFit = /^[^\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]{1,255}$/u.test(name) && name !== '.' && name !== '..'
  return isFit ? name : undefined
}

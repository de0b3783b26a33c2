const ORIENTATION = 274

/** Resets the orientation in place. libvips (8.18) writes the orientation of the source even without metadata. */
export function resetOrientation(tiff: Buffer): void {
  const directory = tiff.readUInt32LE(4)
  const end = directory + 2 + tiff.readUInt16LE(directory) * 12
  for (let entry = directory + 2; entry < end; entry += 12)
    if (tiff.readUInt16LE(entry) === ORIENTATION) tiff.writeUInt16LE(1, entry + 8)
}

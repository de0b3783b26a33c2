/**
 * Returns a media type's group, such as `image/*`. `application` types have nothing in common, so they have no group.
 */
const groupOf = (type: string) => (type.startsWith('application/') ? type : `${type.slice(0, type.indexOf('/'))}/*`)

/** Returns the types in `types` that an Accept header names: by type, or by the group of all images or videos. */
export function acceptedFileTypes(types: readonly string[], accept = ''): ReadonlySet<string> {
  const named = accept.split(',').flatMap((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type]
  })
  return new Set(types.filter((type) => named.includes(type) || named.includes(groupOf(type))))
}

/** Returns the group of an image or video type, such as `image/*`. An `application` type is its own group. */
const groupOf = (type: string) => (type.startsWith('application/') ? type : `${type.slice(0, type.indexOf('/'))}/*`)

/** Returns the types that an Accept header contains, by name or group. Ignores a wildcard for all types. */
export function acceptedFileTypes(types: readonly string[], accept = ''): ReadonlySet<string> {
  const named = accept.split(',').flatMap((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type]
  })
  return new Set(types.filter((type) => named.includes(type) || named.includes(groupOf(type))))
}

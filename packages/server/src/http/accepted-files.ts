/** Returns the group of a media type, such as `image/*`. `application` types are unrelated, so they have no group. */
const groupOf = (type: string) => (type.startsWith('application/') ? type : `${type.slice(0, type.indexOf('/'))}/*`)

/** Returns the types that an Accept header names, alone or by their group. A wildcard for all types has no effect. */
export function acceptedFileTypes(types: readonly string[], accept = ''): ReadonlySet<string> {
  const named = accept.split(',').flatMap((item) => {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim().toLowerCase())
    return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type]
  })
  return new Set(types.filter((type) => named.includes(type) || named.includes(groupOf(type))))
}

/** The kinds of values more than one subject has: each reads a text, or says what it expected. */
export class NotUnderstood extends Error {}

export function unlessEmpty<T>(read: (value: string) => T) {
  return (value: string): T | null => (value === '' ? null : read(value))
}

export function whole(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value)
    if (!/^[0-9]+$/.test(value) || number < least || number > most) {
      throw new NotUnderstood(`a whole number from ${least} to ${most}, found "${value.slice(0, 40)}"`)
    }
    return number
  }
}

/** Two decimals at most. */
export function decimal(least: number, most: number) {
  return (value: string): number => {
    const number = Number(value)
    if (!/^[0-9]+(\.[0-9]{1,2})?$/.test(value) || number < least || number > most) {
      throw new NotUnderstood(
        `a number from ${least} to ${most}, with two decimals at most, found "${value.slice(0, 40)}"`,
      )
    }
    return number
  }
}

export function choice<const Words extends readonly string[]>(...words: Words) {
  return (value: string): Words[number] => {
    if (!words.includes(value)) {
      throw new NotUnderstood(`one of ${words.join(', ')}, found "${value.slice(0, 40)}"`)
    }
    return value as Words[number]
  }
}

export function text(least: number, most: number) {
  return (value: string): string => {
    // A line break here would end up in a header.
    if (value.length < least || value.length > most || /[^\x20-\x7e]/.test(value)) {
      throw new NotUnderstood(`${least} to ${most} printable ASCII characters`)
    }
    return value
  }
}

/** Text for people, in any script, on one line. */
export function words(least: number, most: number) {
  return (value: string): string => {
    if (value.length < least || value.length > most || /\p{Cc}/u.test(value)) {
      throw new NotUnderstood(`${least} to ${most} characters on one line`)
    }
    return value
  }
}

/** What stands in one is shown: in records, problems, links and the log. A user and a password would be too, and are sent to nobody. */
export function webAddress(value: string): string {
  const url = URL.parse(value)
  const isAddress = url !== null && ['http:', 'https:'].includes(url.protocol)
  if (!isAddress || url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '') {
    throw new NotUnderstood('an http or https address without user, password and query')
  }
  return url.href.replace(/\/+$/, '')
}

/** Who connects undoes the spelling of an address; one that can not be undone would end the process there. */
export function refuseMisspelt({ username, password }: URL): void {
  try {
    decodeURIComponent(username + password)
  } catch {
    throw new NotUnderstood('user and password as an address spells them: a % in them is %25')
  }
}

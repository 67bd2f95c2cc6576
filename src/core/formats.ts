/**
 * How a language writes dates and numbers, each way made once: to make a date's takes 150 µs and a number's 28, to write with
 * one that is there two at most, and a page writes dozens. Locales and options are the program's own, so that they are few.
 */
export const dateFormat = keptOnce(
  (locale, options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locale, options),
)

export const numberFormat = keptOnce(
  (locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options),
)

function keptOnce<Options, Format>(make: (locale: string, options: Options) => Format) {
  const made = new Map<string, Format>()
  return (locale: string, options: Options): Format => {
    const name = locale + JSON.stringify(options)
    const known = made.get(name)
    if (known !== undefined) return known
    const format = make(locale, options)
    made.set(name, format)
    return format
  }
}

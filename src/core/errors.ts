/**
 * Every error of ours has a stable `code`, its facts as fields, and a `cause`.
 * Nobody parses messages: what an error means to a caller is decided from its class and code alone.
 */
export class OppslagError extends Error {
  readonly code: string

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** The process can not start as configured. The message is one line that names the variable or file. */
export class ConfigurationError extends OppslagError {
  constructor(message: string, options?: ErrorOptions) {
    super('ugyldig_konfigurasjon', message, options)
  }
}

/** What a caller sent can not be understood. `parameter` names the part, `found` and `expected` say why. */
export class InputError extends OppslagError {
  readonly parameter: string
  readonly norsk: string
  readonly english: string

  constructor(code: string, parameter: string, text: { norsk: string; english: string }) {
    super(code, text.english)
    this.parameter = parameter
    this.norsk = text.norsk
    this.english = text.english
  }
}

import { resolve } from 'node:path'
import { choice, NotUnderstood, unlessEmpty, webAddress } from './kinds.ts'
import { type Given, valuesOf } from './variable.ts'

/** What a process tells of itself: traces and log. */
export const watchingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    meaning: 'Where traces are sent (OTLP over HTTP, /v1/traces is added). Empty: nothing is traced.',
    standard: '',
    read: unlessEmpty(webAddress),
  },
  OTEL_TRACES_SAMPLER_ARG: {
    meaning: 'Share of the requests that are traced, from 0 to 1.',
    standard: '1',
    read: share,
  },
  LOG_LEVEL: {
    meaning: 'How much is logged.',
    standard: 'info',
    read: choice('fatal', 'error', 'warn', 'info', 'debug', 'silent'),
  },
  LOG_FILE: {
    meaning: 'File the log is appended to. Empty: standard output.',
    standard: '',
    read: unlessEmpty((value: string) => resolve(value)),
  },
} as const

export type WatchingSettings = {
  /** null: nothing is traced. */
  readonly traces: { readonly url: string; readonly share: number } | null
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent'
  readonly logFile: string | null
}

export function watchingSettings(env: Given): WatchingSettings {
  const value = valuesOf(watchingVariables, env)
  const url = value('OTEL_EXPORTER_OTLP_ENDPOINT')
  return {
    traces: url === null ? null : { url, share: value('OTEL_TRACES_SAMPLER_ARG') },
    logLevel: value('LOG_LEVEL'),
    logFile: value('LOG_FILE'),
  }
}

function share(value: string): number {
  if (!/^(0|1|0?\.[0-9]{1,6}|1\.0*)$/.test(value)) throw new NotUnderstood('a number from 0 to 1')
  return Number(value)
}

import { PUBLIC_TEST_KEY } from '#src/access/public-test-key.ts'
import type { HandoutOperation } from './operations.ts'

/** The calls as a collection (Postman Collection v2.1, which Bruno and Insomnia read too), ready to be sent with the public test key. */
export function postmanCollection(operations: readonly HandoutOperation[], url: string): object {
  return {
    info: {
      name: 'Bedriftsoppslag',
      schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
    },
    auth: { type: 'bearer', bearer: [{ key: 'token', value: '{{nokkel}}', type: 'string' }] },
    variable: [
      { key: 'url', value: url },
      { key: 'nokkel', value: PUBLIC_TEST_KEY },
    ],
    item: operations.map(({ id, method, path, summary, query, headers, body }) => ({
      name: `${summary} (${id})`,
      request: {
        method,
        header: [
          ...(body === null ? [] : [{ key: 'Content-Type', value: 'application/json' }]),
          ...headers.map(({ name, value }) => ({ key: name, value })),
        ],
        url: {
          raw: `{{url}}${path}${neededOf(query)}`,
          host: ['{{url}}'],
          path: path.slice(1).split('/'),
          query: query.map(({ name, value, isNeeded }) => ({ key: name, value, disabled: !isNeeded })),
        },
        ...(body !== null && { body: { mode: 'raw', raw: JSON.stringify(body) } }),
      },
    })),
  }
}

function neededOf(query: HandoutOperation['query']): string {
  const needed = query.filter(({ isNeeded }) => isNeeded).map(({ name, value }) => [name, value])
  return needed.length === 0 ? '' : `?${new URLSearchParams(needed as [string, string][])}`
}

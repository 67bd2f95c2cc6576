import { SAMPLE } from '#src/samples/numbers.ts'
import { QUESTIONS } from '#src/samples/questions.ts'
import type { Operation } from './operations.ts'

/** The languages a call is shown in. */
const CODE_LANGUAGES = ['curl', 'javascript', 'python', 'csharp'] as const
export type CodeLanguage = (typeof CODE_LANGUAGES)[number]

/** A whole program for each language that makes this call with examples for what it needs, and prints the answer. */
export function clientCode(operation: Operation, url: string): Record<CodeLanguage, string> {
  const address = `${url}${exampleAddress(operation)}`
  const body = operation.method === 'POST' ? JSON.stringify(operation.body ?? BODIES[operation.id]) : null
  return {
    curl: curl(operation.method, address, body),
    javascript: javascript(operation.method, address, body),
    python: python(operation.method, address, body),
    csharp: csharp(operation.method, address, body),
  }
}

/** With the example of each parameter that has one to show. */
function exampleAddress(operation: Operation): string {
  return filledIn(operation, exampleValues(operation))
}

/** What each parameter of a call is shown with: those in the path, and what is asked for in `QUESTIONS`. */
export function exampleValues({ id, parameters }: Operation): Record<string, string> {
  const inPath = parameters
    .filter((each) => each.in === 'path')
    .map(({ name, example }) => [name, String(example)])
  return { ...Object.fromEntries(inPath), ...QUESTIONS[id] }
}

/** The address of a call. What the call does not have, and what is left empty, is left out. */
export function filledIn({ path, parameters }: Operation, values: Readonly<Record<string, unknown>>): string {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place } of parameters) {
    const value = values[name]
    if (typeof value !== 'string' || value === '') continue
    if (place === 'path')
      filled = filled.replace(`{${name}}`, encodeURIComponent(value.slice(0, LETTERS_MAX)))
    if (place === 'query') query.set(name, value.slice(0, LETTERS_MAX))
  }
  return query.size === 0 ? filled : `${filled}?${query}`
}

/** What a call that takes a body is shown with, where the document has no example of it. */
const BODIES: Record<string, unknown> = {
  slaaOppMange: [SAMPLE.healthy, SAMPLE.bankrupt],
}

const LETTERS_MAX = 200

function curl(method: string, address: string, body: string | null): string {
  const parts = [
    'curl -s',
    method === 'GET' ? null : `-X ${method}`,
    '-H "Authorization: Bearer $NOKKEL"',
    body === null ? null : `-H 'Content-Type: application/json' -d '${body}'`,
    `'${address}'`,
  ]
  return parts.filter((part) => part !== null).join(' ')
}

function javascript(method: string, address: string, body: string | null): string {
  const more = body === null ? '' : `\n  method: '${method}',\n  body: '${body}',`
  const type = body === null ? '' : `, 'content-type': 'application/json'`
  return `const answer = await fetch('${address}', {
  headers: { authorization: \`Bearer \${process.env.NOKKEL}\`${type} },${more}
})
const body = await answer.${body === null ? 'json' : 'text'}()
if (!answer.ok) throw new Error(\`\${body.kode}: \${body.detail}\`)
console.log(body)
`
}

function python(method: string, address: string, body: string | null): string {
  const data = body === null ? '' : `\n    data=b'${body}', method="${method}",`
  const type = body === null ? '' : ', "Content-Type": "application/json"'
  return `import json, os, urllib.request

call = urllib.request.Request(
    "${address}",${data}
    headers={"Authorization": f"Bearer {os.environ['NOKKEL']}"${type}},
)
with urllib.request.urlopen(call, timeout=20) as answer:
    print(${body === null ? 'json.load(answer)' : 'answer.read().decode()'})
`
}

function csharp(method: string, address: string, body: string | null): string {
  const content =
    body === null
      ? ''
      : `\n        call.Content = new StringContent(${JSON.stringify(body)}, Encoding.UTF8, "application/json");`
  return `using System;
using System.Net.Http;
using System.Net.Http.Headers;${body === null ? '' : '\nusing System.Text;'}
using System.Threading.Tasks;

class Program
{
    static async Task Main()
    {
        var client = new HttpClient();
        var call = new HttpRequestMessage(new HttpMethod("${method}"), "${address}");
        call.Headers.Authorization = new AuthenticationHeaderValue("Bearer", Environment.GetEnvironmentVariable("NOKKEL"));${content}
        var answer = await client.SendAsync(call);
        answer.EnsureSuccessStatusCode();
        Console.WriteLine(await answer.Content.ReadAsStringAsync());
    }
}
`
}

import apicache from 'apicache'
import express from 'express'
import { fetchRecord, isKey } from './given.ts'

const app = express()
app.use((request, response, next) => {
  if (isKey(request.headers.authorization)) next()
  else response.status(401).end()
})
app.get('/api/bedrift/:orgnr', apicache.middleware('1 hour'), async (_request, response) => {
  response.json(await fetchRecord())
})
app.listen(0, '127.0.0.1')

// One upload with tus-js-client: node tus.mjs ENDPOINT FILE MODE; prints what came of it as JSON.
import { createReadStream, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { PassThrough } from 'node:stream'
import { Upload } from 'tus-js-client'

const [endpoint, path, mode] = process.argv.slice(2)
// The length of a stream comes with the last of its bytes. One that the client takes for a file hangs:
// tus-js-client 4.3.1 then announces a whole chunk where less is left, whatever the server does.
const content = mode === 'stream' ? createReadStream(path).pipe(new PassThrough()) : readFileSync(path)
const options = {
  whole: {},
  chunks: { chunkSize: 100_000 },
  together: { uploadDataDuringCreation: true },
  stream: { uploadLengthDeferred: true, chunkSize: 100_000 },
  parallel: { parallelUploads: 3, chunkSize: 100_000 },
  override: { overridePatchMethod: true },
  abort: { chunkSize: 100_000 },
  terminate: { chunkSize: 100_000 },
}[mode]

function send(extra) {
  return new Promise((resolve, reject) => {
    const upload = new Upload(content, {
      endpoint,
      metadata: { filename: basename(path), filetype: 'image/gif', to: 'webp', width: '9' },
      retryDelays: [0, 100, 200, 400, 800, 1600],
      ...options,
      ...extra,
      onAfterResponse(_, response) {
        const token = response.getHeader('Upload-Manage')
        if (token) upload.options.headers = { Authorization: `Bearer ${token}` }
      },
      onError: reject,
      onSuccess: () => resolve(upload),
      onChunkComplete(_, accepted) {
        if (extra?.until && accepted >= extra.until) upload.abort(mode === 'terminate').then(() => resolve(upload), reject)
      },
    })
    upload.start()
  })
}

const stops = mode === 'abort' || mode === 'terminate'
const first = await send(stops ? { until: 200_000 } : {})
const second = mode === 'abort' ? await send({ uploadUrl: first.url }) : first
console.log(JSON.stringify({ url: second.url }))

// Several uploads at once with Uppy: node uppy.mjs ENDPOINT FILE...; prints their addresses as JSON.
import { File } from 'node:buffer'
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import Uppy from '@uppy/core'
import Tus from '@uppy/tus'

globalThis.File ??= File // Uppy asks for it by its bare name, under which Node 18 has none
const [endpoint, ...paths] = process.argv.slice(2)
const uppy = new Uppy().use(Tus, { endpoint, chunkSize: 100_000, retryDelays: [0, 100, 200, 400, 800] })
for (const path of paths) {
  const content = readFileSync(path)
  // In a browser this is a File; under Node its tus client takes a Buffer, of which Uppy asks the size.
  const data = Object.assign(content, { size: content.length })
  uppy.addFile({ name: basename(path), type: 'image/png', data, meta: { to: 'webp' } })
}
const { successful, failed } = await uppy.upload()
if (failed.length > 0) throw failed[0].error
console.log(JSON.stringify(Object.fromEntries(successful.map(({ name, uploadURL }) => [name, uploadURL]))))

import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { serverCaOf } from '../config/certificates.ts'
import { tlsFilesOf } from './serve.ts'

test('wrong certificate files are reported in one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-tls-'))
  try {
    const file = join(folder, 'x.pem')
    writeFileSync(file, 'no certificate')
    const missing = join(folder, 'none.pem')
    assert.equal(tlsFilesOf({ certificate: undefined, certificateKey: undefined }), undefined)
    assert.throws(() => tlsFilesOf({ certificate: file, certificateKey: undefined }), { message: /give both/ })
    const read = (certificate: string, certificateKey: string) => tlsFilesOf({ certificate, certificateKey })!.read()
    assert.throws(() => read(missing, file), { code: 'bad-flag', message: /--certificate .*no such file/ })
    assert.throws(() => read(file, missing), { code: 'bad-flag', message: /--certificate-key .*no such file/ })
    assert.throws(() => read(file, file), { code: 'bad-flag', message: /both must be PEM files/ })
    assert.throws(() => serverCaOf({ serverCa: missing }), { message: /--server-ca .*no such file/ })
    assert.throws(() => serverCaOf({ serverCa: file }), { message: /--server-ca .*holds no certificates/ })
    writeFileSync(file, '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n')
    assert.throws(() => serverCaOf({ serverCa: file }), { message: /--server-ca .*holds no certificates/ })
  } finally {
    rmSync(folder, { recursive: true })
  }
})

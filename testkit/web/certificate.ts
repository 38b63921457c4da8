/** A self-signed certificate made on the spot, so that no private key lies in the repository. Just enough of X.509, written by hand. */
import { generateKeyPairSync, sign } from 'node:crypto'

const tlv = (tag: number, ...parts: Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}

const SEQUENCE = 0x30
const bytes = (hex: string) => Buffer.from(hex, 'hex')
const ECDSA_SHA256 = tlv(SEQUENCE, bytes('06082a8648ce3d040302'))
const COMMON_NAME = bytes('0603550403')
const ALT_NAMES = bytes('0603551d11')
const BASIC_CONSTRAINTS = bytes('0603551d13')

/** `until`: the end of its validity, as UTCTime. */
export function selfSigned(hosts: readonly string[], until = '491231235959Z'): { key: string; cert: string } {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = tlv(SEQUENCE, tlv(0x31, tlv(SEQUENCE, COMMON_NAME, tlv(0x0c, Buffer.from(hosts[0])))))
  const validity = tlv(SEQUENCE, tlv(0x17, Buffer.from('200101000000Z')), tlv(0x17, Buffer.from(until)))
  const names = tlv(SEQUENCE, ...hosts.map((host) => tlv(0x82, Buffer.from(host))))
  const extensions = tlv(
    0xa3,
    tlv(
      SEQUENCE,
      tlv(SEQUENCE, BASIC_CONSTRAINTS, tlv(0x04, tlv(SEQUENCE, bytes('0101ff')))),
      tlv(SEQUENCE, ALT_NAMES, tlv(0x04, names)),
    ),
  )
  const version3 = tlv(0xa0, bytes('020102'))
  const serial = bytes('020101')
  const spki = publicKey.export({ type: 'spki', format: 'der' })
  const body = tlv(SEQUENCE, version3, serial, ECDSA_SHA256, name, validity, name, spki, extensions)
  const signature = tlv(0x03, bytes('00'), sign('sha256', body, privateKey))
  const der = tlv(SEQUENCE, body, ECDSA_SHA256, signature)
  const lines = der.toString('base64').replace(/.{64}(?=.)/g, '$&\n')
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  }
}

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeScreen, type Stream } from './screen.ts'

function recorder(isTTY: boolean): Stream & { text: string } {
  return {
    text: '',
    isTTY,
    columns: 90,
    write(data) {
      this.text += String(data)
      return true
    },
    once() {},
  }
}

test('a message erases the live view and draws it again below', () => {
  const err = recorder(true)
  const screen = makeScreen(recorder(true), err, {})
  screen.draw(['one', 'two'])
  screen.say('problem')
  screen.draw([])
  assert.equal(err.text, '\x1b[?25lone\ntwo\n\x1b[2A\r\x1b[Jproblem\none\ntwo\n\x1b[2A\r\x1b[J\x1b[?25h')
})

test('a view drawn on a wider terminal is erased with all the rows it takes now', () => {
  const err = recorder(true)
  const screen = makeScreen(recorder(true), err, {})
  screen.draw(['x'.repeat(80), `\x1b[1m${'y'.repeat(30)}\x1b[22m`])
  err.columns = 40
  err.text = ''
  screen.draw([])
  assert.equal(err.text, '\x1b[3A\r\x1b[J\x1b[?25h')
})

test('a long message breaks between words on a terminal, a command to copy does not', () => {
  const err = recorder(true)
  err.columns = 40
  const screen = makeScreen(recorder(true), err, {})
  const command = 'orbweaver: add it with: orbweaver crawl http://www.example.org/'
  screen.say(`orbweaver: note: webmasters cannot find out who crawls them\n${command}`)
  assert.equal(err.text, `orbweaver: note: webmasters cannot find\nout who crawls them\n${command}\n`)
})

test('without a terminal nothing is drawn', () => {
  const err = recorder(false)
  const screen = makeScreen(recorder(false), err, {})
  screen.draw(['one'])
  screen.say('line')
  screen.draw([])
  assert.equal(err.text, 'line\n')
  assert.equal(screen.colour, false)
})

test('NO_COLOR and dumb terminals are respected', () => {
  assert.equal(makeScreen(recorder(true), recorder(true), {}).colour, true)
  assert.equal(makeScreen(recorder(true), recorder(true), { NO_COLOR: '1' }).colour, false)
  assert.equal(makeScreen(recorder(true), recorder(true), { TERM: 'dumb' }).isTerminal, false)
})

test('a sentence breaks between words on a terminal and keeps its indent; in a pipe it stays one line', () => {
  const sentence = '  Of this pattern only what other pages list is asked for.'
  const out = recorder(true)
  out.columns = 40
  makeScreen(out, recorder(true), {}).printSentence(sentence)
  assert.equal(out.text, '  Of this pattern only what other pages\n  list is asked for.\n')
  const pipe = recorder(false)
  makeScreen(pipe, recorder(true), {}).printSentence(sentence)
  assert.equal(pipe.text, `${sentence}\n`)
})

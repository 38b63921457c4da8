/**
 * Real pages over time: documentation that Debian packages in several versions, each page as often as its package was released.
 * What changed between two looks is judged by `label.py`, which shares no code with the crawler.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, relative } from 'node:path'
import { imageCodes } from '../../src/page/change/image-codes.ts'
import { unpackedVersion, versionsInReleases } from '../hazards/packages.ts'
import type { Look } from './detectors.ts'

/** Detectors are tuned on these. */
export const TUNING_PACKAGES = [
  'git-doc', // AsciiDoc
  'krb5-doc', // Sphinx
  'postfix-doc', // by hand, man pages
  'debian-faq', // DocBook
  'sqlite3-doc', // by hand
  'exim4-doc-html', // DocBook
  'ant-doc', // by hand, javadoc
  'ntpsec-doc', // AsciiDoc
  'apache2-doc', // Apache manual, many languages
  'valgrind', // DocBook
  'imagemagick-6-doc', // by hand
  'debian-policy', // Sphinx
  // Held back at first; looked at since.
  'bind9-doc', // Sphinx
  'privoxy', // DocBook
  'python-django-doc', // Sphinx
  'developers-reference', // Sphinx, many languages
  'mplayer-doc', // DocBook, many languages
  'xymon', // man pages
  'libasio-doc', // BoostBook
  'octave-doc', // Texinfo
  'maxima-doc', // Texinfo
  'ikiwiki', // ikiwiki
  'python-sqlalchemy-doc', // Sphinx
  // Other generators.
  'putty-doc', // Halibut
  'libvirt-doc', // XSLT of its own
  'libxml2-doc', // gtk-doc
  'libpam-doc', // DocBook
  'slurm-wlm-doc', // by hand
  'libcurl4-doc', // roffit
  'weechat-doc', // Asciidoctor, many languages
  'aptitude-doc-es', // DocBook, Spanish
  'httrack-doc', // by hand
  'haproxy-doc', // its own
]

/** And tried on these at the end (`--held`). Nobody has looked at them, but for two. */
export const HELD_PACKAGES = [
  'proftpd-doc',
  'libssl-doc',
  'apt-doc',
  'gnutls-doc',
  'varnish-doc',
  'libsvn-doc', // looked at after the first run
  'ffmpeg-doc', // looked at after the first run
  'swig-doc',
  'libtiff-doc',
  'aptitude-doc-fr',
  'freetype2-doc',
  'python-lxml-doc',
  'tomcat10-docs',
  'xen-doc',
]

/** Neither tuned on nor looked at before their first run (`--third`). */
export const THIRD_PACKAGES = [
  'libglib2.0-doc', // gtk-doc, gi-docgen
  'qtbase5-doc-html', // QDoc
  'libeigen3-doc', // Doxygen
  'r-doc-html', // Texinfo
  'nodejs-doc', // its own
  'tcl8.6-doc', // its own
  'erlang-doc', // its own, ExDoc
  'libghc-aeson-doc', // Haddock
  'libcommons-lang3-java-doc', // javadoc
  'twisted-doc', // pydoctor, Sphinx
  'nginx-doc', // XSLT of its own
  'installation-guide-amd64', // DocBook, many languages
  'zsh-doc', // Texinfo
  'scons-doc', // DocBook, Sphinx
  'wireshark-doc', // Asciidoctor
  'menhir-doc', // HEVEA
  'mutt', // DocBook
  'mkdocs-doc', // MkDocs
  'ghostscript-doc', // by hand, Sphinx
  'vim-doc', // vim2html
  'nim-doc', // its own
  'gap-gapdoc', // GAPDoc
  'fp-docs-3.2.2', // TeX4ht
  'debian-reference-ja', // DocBook, Japanese
  'libreoffice-help-ru', // XSLT of its own, Russian
  'postgresql-doc-15', // DocBook
  'librsvg2-doc', // gtk-doc, gi-docgen
  'libsdl2-doc', // Doxygen, Markdown
  'docutils-doc', // Docutils
  'mrtg', // POD
  'ncurses-doc', // man pages
]

/** Neither tuned on nor looked at before their first run either (`--fourth`). */
export const FOURTH_PACKAGES = [
  'keystone-doc', // Sphinx, OpenStack's theme
  'cyrus-doc', // Sphinx
  'nut-doc', // AsciiDoc
  'gettext-doc', // Texinfo, man pages
  'heimdal-docs', // Texinfo, Doxygen
  'mailutils-doc', // Texinfo
  'c++-annotations-html', // Yodl
  'lua5.1-doc', // by hand
  'fop-doc', // Forrest, javadoc
  'rsyslog-doc', // Sphinx
  'libvips-doc', // gtk-doc, gi-docgen
  'lemonldap-ng-doc', // DokuWiki, Sphinx
  'yaws-doc', // by hand
  'libxmltooling-doc', // Doxygen
  'libpango1.0-doc', // gtk-doc, gi-docgen
  'parted-doc', // Texinfo
  'puredata-doc', // by hand
  'gap-doc', // GAPDoc
  'groovy-doc', // Groovydoc
  'topcat-doc', // its own
  'omniorb-doc', // LaTeX, HEVEA
  'hplip-doc', // by hand
  'libbatteries-ocaml-doc', // ocamldoc
  'nsis-doc', // Halibut
  'ruby-rmagick-doc', // by hand
  'firebird3.0-doc', // DocBook
  'openmpi-doc', // man pages, Sphinx
  'cmake-doc', // Sphinx
  'bash-doc', // Texinfo
  'debian-handbook', // Publican, many languages
  'maint-guide-ja', // DocBook, Japanese
  'gnucash-docs', // DocBook, many languages
]

/** And neither these (`--fifth`). */
export const FIFTH_PACKAGES = [
  'apcupsd-doc', // by hand
  'aspell-doc', // Texinfo
  'autogen-doc', // Texinfo
  'avrdude-doc', // Texinfo
  'blends-doc', // Sphinx
  'buildbot-doc', // Sphinx
  'copyq-doc', // Sphinx
  'docbook-xsl-doc-html', // DocBook
  'genometools-doc', // by hand
  'gnustep-gui-doc', // autogsdoc
  'groonga-doc', // Sphinx, two languages
  'hydrogen-doc', // DocBook
  'libfontconfig-doc', // DocBook
  'libharfbuzz-doc', // gtk-doc
  'libsoup2.4-doc', // gtk-doc
  'libxmlada-doc', // Sphinx
  'lmod-doc', // Sphinx
  'mailman3-doc', // Sphinx
  'mit-scheme-doc', // Texinfo
  'mpich-doc', // doctext
  'ne-doc', // Texinfo
  'python-pytest-doc', // Sphinx
  'swi-prolog-doc', // PlDoc
]

export const LABELS = ['same', 'markup', 'links', 'stamp', 'known stamp', 'template', 'content'] as const
export type Label = (typeof LABELS)[number]

/** One page. */
export interface Series {
  site: string
  path: string
  looks: Look[]
  /** Of each look from the second on. */
  labels: Label[]
}

const MAX_VERSIONS = 7
/** Of each package. */
const MAX_PICTURES = 40
/** Larger pages are books in one file. */
const MAX_BYTES = 400_000
const LABEL_MS = 15 * 60_000
/** No more packages are asked for after this; what is in the cache comes at once. */
const BRING_MS = 30 * 60_000

export async function realSeries(
  packages: readonly string[],
  pagesPerPackage: number,
  say: (line: string) => void,
): Promise<{ series: Series[]; versions: string[]; images: ImageCensus }> {
  const known = await versionsInReleases(packages)
  const found: Versioned[] = []
  const versions: string[] = []
  const pictures: string[] = []
  const deadline = performance.now() + BRING_MS
  for (const name of packages) {
    if (performance.now() > deadline) {
      say(`${name}: left out, the mirror takes too long`)
      continue
    }
    const roots: Root[] = []
    for (const version of (known.get(name) ?? []).slice(-MAX_VERSIONS)) {
      // A version that was replaced a moment ago is in the lists, and no longer there.
      const got = await unpackedVersion(name, version).catch(() => undefined)
      if (got === undefined) continue
      roots.push({ folder: got.root, version })
      versions.push(got.version)
    }
    pictures.push(
      ...(roots.length === 0
        ? []
        : chosen(filesIn(roots[roots.length - 1].folder, /\.(png|jpe?g|gif)$/), MAX_PICTURES)),
    )
    const pages = commonPages(roots, pagesPerPackage)
    say(`${name}: ${pages.length} pages in ${roots.length} versions`)
    found.push(
      ...pages.map((path) => ({
        site: name,
        path,
        files: filesOf(roots, path),
        versions: roots.map(({ version }) => version),
      })),
    )
  }
  say(`labelling ${found.length} pages …`)
  const labels = labelled(found)
  const series = found.map(({ site, path, files }, nth) => ({
    site,
    path,
    looks: files.map((file) => ({ site, path, bytes: readFileSync(file), image: imageBeside(file) })),
    labels: labels[nth],
  }))
  return { series, versions, images: await census(pictures) }
}

interface Root {
  folder: string
  version: string
}

/** A page: its files, and the versions of its package that they are from. */
interface Versioned {
  site: string
  path: string
  files: string[]
  versions: string[]
}

function filesOf(roots: readonly Root[], path: string): string[] {
  return roots.map(({ folder }) => join(folder, path)).filter((file) => existsSync(file))
}

/** Pages that all versions have. */
function commonPages(roots: readonly Root[], count: number): string[] {
  if (roots.length < 2) return []
  const newest = roots[roots.length - 1].folder
  const isCommon = (path: string) =>
    filesOf(roots, path).filter((file) => statSync(file).size <= MAX_BYTES).length === roots.length
  const pages = filesIn(newest, /\.html?$/).map((file) => relative(newest, file))
  return chosen(pages.filter(isCommon), count)
}

/** By the digest of their paths. */
function chosen(paths: readonly string[], count: number): string[] {
  const order = (path: string) =>
    createHash('sha1')
      .update(path.replace(/^.*\/root\//, ''))
      .digest('hex')
  return [...paths].sort((a, b) => (order(a) < order(b) ? -1 : 1)).slice(0, count)
}

function filesIn(folder: string, name: RegExp): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return filesIn(path, name)
    return entry.isFile() && name.test(entry.name) ? [path] : []
  })
}

/** How well codes tell pictures apart. */
export interface ImageCensus {
  /** Different files. */
  pictures: number
  notDecoded: number
  zeroIvals: number
  ivals: number
  perceptual: number
}

async function census(files: readonly string[]): Promise<ImageCensus> {
  const contents = new Map(files.map((file) => readFileSync(file)).map((bytes) => [bytes.toString('latin1'), bytes]))
  const all = await Promise.all([...contents.values()].map((bytes) => imageCodes(bytes)))
  const codes = all.filter((each) => each !== undefined)
  return {
    pictures: all.length,
    notDecoded: all.length - codes.length,
    zeroIvals: codes.filter(({ ival }) => ival === 0n).length,
    ivals: new Set(codes.map(({ ival }) => ival)).size,
    perceptual: new Set(codes.map(({ perceptual }) => perceptual)).size,
  }
}

export function labelled(
  pages: readonly { site: string; files: readonly string[]; versions?: readonly string[] }[],
): Label[][] {
  const steps = (list: readonly string[]) => list.slice(1).map((one, i) => [list[i], one])
  const input = pages.map(({ site, files, versions }) => ({
    site,
    steps: steps(files),
    ...(versions && { versions: steps(versions) }),
  }))
  const output = execFileSync('python3', [join(import.meta.dirname, 'label.py')], {
    input: input.map((each) => JSON.stringify(each)).join('\n'),
    timeout: LABEL_MS,
    maxBuffer: 1 << 28,
    encoding: 'utf8',
  })
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Label[])
}

/** An image of the page, if its package has it. */
export function imageBeside(file: string): (href: string) => Uint8Array | undefined {
  return (href) => {
    const path = join(file, '..', href.split(/[?#]/)[0])
    return /^[\w./-]+$/.test(href) && statSync(path, { throwIfNoEntry: false })?.isFile()
      ? readFileSync(path)
      : undefined
  }
}

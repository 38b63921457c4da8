/**
 * Real sites: documentation that Debian packages bring, each served as a site of its own. Trap rules are tuned on the one
 * list; the other is held back, and tried when they are done.
 */

export interface RealSite {
  /** What `--packages` and the tables call it, and its host. */
  name: string
  /** Unpacked into one tree. */
  packages: readonly string[]
  /** What the site shows as `/`. */
  folder: string
  /** The seed under it; '': the folder itself. */
  start: string
  generator: string
  /** As in `StaticWeb`. */
  listing?: 'nginx' | 'apache'
}

const site = (
  name: string,
  generator: string,
  folder: string,
  more: Partial<Pick<RealSite, 'packages' | 'start' | 'listing'>> = {},
): RealSite => ({ name, packages: [name], folder, start: '', generator, ...more })

const doc = (path: string) => `usr/share/doc/${path}`
const nginx = { listing: 'nginx' } as const
const apache = { listing: 'apache' } as const

export const TUNING_SITES: readonly RealSite[] = [
  site('rust-doc', 'rustdoc, mdBook', doc('rust-doc/html')),
  site('openjdk-17-doc', 'javadoc', doc('openjdk-17-jre-headless')),
  site('libboost1.74-doc', 'BoostBook', doc('libboost1.74-doc'), nginx),
  site('fp-docs-3.2.2', 'fpdoc, tex4ht', doc('fp-docs/3.2.2'), nginx),
  site('erlang-doc', 'erl_docgen', doc('erlang-doc'), { start: 'doc/' }),
  site('ogre-1.12-doc', 'Doxygen', doc('ogre-1.12-doc/api/html')),
  site('libcommons-lang3-java-doc', 'javadoc', doc('libcommons-lang3-java/api')),
  site('libjfreechart-java-doc', 'javadoc', doc('libjfreechart-java/javadoc')),
  site('pike8.0-doc', 'Pike autodoc', doc('pike8.0-doc/html'), nginx),
  site('python3.11-doc', 'Sphinx', doc('python3.11/html')),
  site('postgresql-doc-15', 'DocBook', doc('postgresql-doc-15/html')),
  site('ghc-doc', 'Haddock, Sphinx', doc('ghc-doc')),
  site('libgtk-3-doc', 'gtk-doc', 'usr/share/gtk-doc/html', nginx),
  site('linux-doc-6.1', 'Sphinx', doc('linux-doc-6.1/html')),
  site('qtbase5-doc-html', 'QDoc', 'usr/share/qt5/doc', nginx),
  site('octave-doc', 'Texinfo', doc('octave'), nginx),
  site('xymon', 'man pages', 'usr/share/xymon/help', apache),
  site('libstdc++-12-doc', 'Doxygen, DocBook', doc('gcc-12-base/libstdc++')),
  site('sqlite3-doc', 'by hand', doc('sqlite3')),
  site('git-doc', 'AsciiDoc', doc('git-doc')),
  site('apache2-doc', 'Apache manual, many languages', doc('apache2-doc/manual')),
  site('debian-handbook', 'Publican, many languages', doc('debian-handbook/html'), nginx),
  site('libghc-xmonad-contrib-doc', 'Haddock', doc('libghc-xmonad-contrib-doc/html')),
  site('ada-reference-manual-2012', 'Ada manual formatter', doc('ada-reference-manual-2012'), nginx),
  site('libbatteries-ocaml-doc', 'ocamldoc', doc('libbatteries-ocaml-doc/html/api')),
  site('scala-doc', 'Scaladoc', doc('scala-2.11'), nginx),
  site('lilypond-doc-html', 'Texinfo, many languages', doc('lilypond/html')),
  site('cppreference-doc-en-html', 'MediaWiki dump', 'usr/share/cppreference/doc/html', { start: 'en/' }),
  site('ikiwiki', 'ikiwiki', doc('ikiwiki/html')),
  site('yard-doc', 'YARD', doc('yard/doc')),
  site('macaulay2-common', 'package documentation, by listing', doc('Macaulay2'), apache),
  site('gnucash-docs', 'DocBook, by listing', doc('gnucash-docs'), nginx),
  site('racket-doc', 'Scribble', doc('racket')),
  site('debian-faq', 'FAQ', doc('debian'), apache),
  site('chemical-structures', 'tables', 'usr/share/chemical-structures'),
  site('twisted-doc', 'pydoctor, Sphinx', doc('twisted-doc/html')),
]

export const HELD_SITES: readonly RealSite[] = [
  site('lazarus-doc-2.2', 'fpdoc', doc('lazarus/2.2.6')),
  site('libasio-doc', 'BoostBook', doc('libasio-dev')),
  site('db5.3-doc', 'DocBook, javadoc', doc('db5.3-doc')),
  site('opencv-doc', 'Doxygen, javadoc', doc('opencv-doc/opencv4/html')),
  site('sumo-doc', 'Doxygen', doc('sumo'), nginx),
  site('groovy-doc', 'groovydoc', doc('groovy'), nginx),
  site('gradle-doc', 'javadoc', doc('gradle'), nginx),
  site('libgecode-doc', 'Doxygen', doc('libgecode-doc/html')),
  site('python-scipy-doc', 'Sphinx', doc('python-scipy-doc/html')),
  site('python-pandas-doc', 'Sphinx', doc('python-pandas-doc/html')),
  site('python-django-doc', 'Sphinx', doc('python-django-doc/html')),
  site('cmake-doc', 'Sphinx', doc('cmake-data/html')),
  site('csound-doc', 'DocBook', doc('csound-doc/html')),
  site('llvm-14-doc', 'Sphinx', doc('llvm-14-doc/html')),
  site('libgtk-4-doc', 'gi-docgen', doc('libgtk-4-doc'), nginx),
  site('fwupd-doc', 'gi-docgen', doc('fwupd')),
  site('libgtkmm-3.0-doc', 'Doxygen', doc('libgtkmm-3.0-doc/reference/html')),
  site('libxcb-doc', 'Doxygen', doc('libxcb1-dev'), nginx),
  site('krb5-doc', 'Sphinx', doc('krb5-doc')),
  site('derby-doc', 'DITA, javadoc', doc('derby-doc')),
  site('ant-doc', 'by hand, javadoc', doc('ant'), nginx),
  site('imagemagick-6-doc', 'by hand', doc('imagemagick-6-common/html')),
  site('agda-stdlib-doc', 'Agda', doc('agda-stdlib-doc'), nginx),
  site('libcoq-stdlib', 'coqdoc', doc('libcoq-stdlib/html')),
  site('libjs-of-ocaml-doc', 'odoc', doc('libjs-of-ocaml-doc/api')),
  site('libocamlgraph-ocaml-doc', 'odoc', doc('libocamlgraph-ocaml-doc/html')),
  site('liblablgtk2-ocaml-doc', 'ocamldoc', doc('liblablgtk2-ocaml-doc/html/api')),
  site('libghc-pandoc-doc', 'Haddock', doc('libghc-pandoc-doc/html')),
  site('libghc-lens-doc', 'Haddock', doc('libghc-lens-doc/html')),
  site('libopenjfx-java-doc', 'javadoc', doc('libopenjfx-java/api')),
  site('libfastutil-java-doc', 'javadoc', doc('libfastutil-java')),
  site('libcommons-math3-java-doc', 'javadoc', doc('libcommons-math3-java/api')),
  site('nncp', 'Texinfo', doc('nncp/nncp.html')),
  site('libbobcat-dev', 'man pages (yodl)', doc('libbobcat5-dev/man')),
  site('plc-utils-doc', 'DocBook, man pages', doc('plc-utils'), nginx),
  site('corosync-doc', 'man pages, Doxygen', doc('corosync'), apache),
  site('cdist-doc', 'Sphinx, man pages', doc('cdist/html')),
  site('mplayer-doc', 'DocBook, many languages', doc('mplayer/HTML'), apache),
  site('installation-guide-amd64', 'DocBook, many languages', doc('installation-guide-amd64'), nginx),
  site('harden-doc', 'Publican, many languages', doc('harden-doc/html'), nginx),
  site('singular-doc', 'Texinfo', doc('singular/html')),
  site('gcl-doc', 'Texinfo', doc('gcl-doc'), nginx),
  site('maxima-doc', 'Texinfo', doc('maxima-doc/html'), nginx),
  site('exim4-doc-html', 'DocBook', doc('exim4-doc-html/spec_html')),
  site('dpdk-doc', 'Doxygen, Sphinx', doc('dpdk'), nginx),
  site('petsc3.18-doc', 'Sphinx, man pages, listings of source', doc('petsc3.18-doc/docs')),
  site('wx3.2-doc', 'Doxygen', doc('wx3.2-doc/html')),
  site('user-mode-linux-doc', 'HOWTO', doc('user-mode-linux-doc/html')),
  site('mma', 'by hand, by listing', doc('mma'), apache),
  site('mit-scheme-doc', 'Texinfo', doc('mit-scheme-doc/html')),
  site('libreoffice-help-en-us', 'LibreOffice help', 'usr/share/libreoffice/help/en-US/text', apache),
  site('gimp-help-en', 'DocBook', 'usr/share/gimp/2.0/help/en'),
  site('docbook-xsl-doc-html', 'DocBook reference', doc('docbook-xsl-doc-html/doc')),
  site('libxml2-doc', 'by hand, gtk-doc', doc('libxml2-doc'), nginx),
  site('ruby-haml', 'YARD', doc('ruby-haml/yardoc')),
  site('postfix-doc', 'by hand, man pages', doc('postfix/html')),
  site('python-sqlalchemy-doc', 'Sphinx', doc('python-sqlalchemy-doc/html')),
  site('libquickfix-doc', 'Doxygen, FIX dictionary', doc('libquickfix-doc/html')),
  site('giac-doc', 'HeVeA', 'usr/share/giac/doc', nginx),
  // Crawled by the program from nginx, Apache and Python's server, beside a walker of its own; no rule is tuned on them either.
  site('bacula-doc', 'LaTeX2HTML', doc('bacula-doc/html'), apache),
  site('libapache-poi-java-doc', 'javadoc', doc('libapache-poi-java/api')),
  site('libxalan2-java-doc', 'javadoc', doc('libxalan2-java'), nginx),
  site('weka-doc', 'javadoc', doc('weka-doc'), apache),
  site('jmeter-apidoc', 'javadoc, by listing', 'usr/share/jmeter', apache),
  site('libjlha-java-doc-ja', 'javadoc, Japanese', doc('libjlha-java-doc-ja'), nginx),
  site('gnuradio-doc', 'Doxygen', doc('gnuradio-doc/html')),
  site('libcrypto++-doc', 'Doxygen', doc('libcrypto++-dev/html'), apache),
  site('libdune-grid-doc', 'Doxygen', doc('libdune-grid-doc/doxygen')),
  site('libglibmm-2.68-doc', 'Doxygen', doc('libglibmm-2.68-doc/reference/html'), nginx),
  site('libglib2.0-doc', 'gtk-doc', 'usr/share/gtk-doc/html', nginx),
  site('libadwaita-1-doc', 'gi-docgen', doc('libadwaita-1')),
  site('libghc-gi-gtk-doc', 'Haddock', doc('libghc-gi-gtk-doc/html'), apache),
  site('libocamlnet-ocaml-doc', 'ocamldoc', doc('libocamlnet-ocaml'), nginx),
  site('libplank-doc', 'valadoc', doc('plank'), nginx),
  site('crystal-doc', 'Crystal docs', doc('crystal'), apache),
  site('nim-doc', 'Nim docgen', doc('nim'), nginx),
  site('gap-doc', 'GAPDoc', 'usr/share/gap/doc', nginx),
  site('axiom-doc', 'XHTML of a notebook, by listing', doc('axiom-doc'), nginx),
  site('dx-doc', 'by hand, by listing', doc('dx'), apache),
  site('python-biopython-doc', 'listings of tests', doc('python-biopython-doc'), apache),
  site('slepc3.18-doc', 'man pages, listings of source', doc('slepc3.18-doc'), apache),
  site('mpich-doc', 'doctext', doc('mpich-doc'), nginx),
  site('gimp-help-ja', 'DocBook, Japanese', 'usr/share/gimp/2.0/help', nginx),
  site('mh-book', 'by hand, frames', doc('mh-book'), nginx),
  site('rt5-doc-html', 'POD', doc('rt5-doc-html'), nginx),
  site('lemonldap-ng-doc', 'Sphinx', doc('lemonldap-ng/pages'), apache),
  site('xapian-doc', 'Doxygen, reStructuredText', doc('xapian-doc'), apache),
  site('focalinux-html', 'DebianDoc, Portuguese', doc('focalinux/html'), nginx),
]

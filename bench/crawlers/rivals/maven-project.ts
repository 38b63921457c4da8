/** Rivals in Java: our class and its settings, and the libraries that Maven brings. */
import { copyFileSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installStep, isSame, PROGRAMS } from './rival.ts'

export interface MavenProject {
  /** Among our programs. */
  folder: string
  /** Our class, which has its `main`. */
  program: string
  /** What it reads when it runs. */
  resources: readonly string[]
  /** A library that tells that the right version is there. */
  library: string
}

const CLASSES = 'classes'
const LIBRARIES = join('target', 'dependency')

const filesOf = ({ program, resources }: MavenProject) => ['pom.xml', `${program}.java`, ...resources]
const ourFile = ({ folder }: MavenProject, name: string) => join(PROGRAMS, folder, name)

export function isBuilt(project: MavenProject, home: string): boolean {
  const made = [join(CLASSES, `${project.program}.class`), join(LIBRARIES, project.library)]
  if (!made.every((name) => existsSync(join(home, name)))) return false
  return filesOf(project).every((name) => isSame(join(home, name), ourFile(project, name)))
}

export async function build(project: MavenProject, home: string): Promise<void> {
  // The libraries of another version would stay among its own.
  rmSync(home, { recursive: true, force: true })
  mkdirSync(home, { recursive: true })
  for (const name of filesOf(project)) copyFileSync(ourFile(project, name), join(home, name))
  await installStep('mvn', ['-B', '-q', 'dependency:copy-dependencies'], home)
  const libraries = join(LIBRARIES, '*')
  await installStep('javac', ['-d', CLASSES, '-cp', libraries, `${project.program}.java`], home)
}

/** How `java` finds it all. */
export function classPath(home: string): string[] {
  return ['-cp', [home, join(home, CLASSES), join(home, LIBRARIES, '*')].join(delimiter)]
}

import type { Migration } from './migration.ts'

export const migration: Migration = { number: 3, name: 'inbox', sql: '' }

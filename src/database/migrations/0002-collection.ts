import type { Migration } from './migration.ts'

export const migration: Migration = { number: 2, name: 'collection', sql: '' }

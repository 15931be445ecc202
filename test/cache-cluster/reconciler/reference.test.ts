import { readdirSync, readFileSync } from 'fs';
import { join } from 'path';
import { rulesOf, shared } from './reconcilers';
import { CacheCluster, ConfigRemoval } from '../../../lib';
import { synthesise } from '../../support/synth';
import { STATEFUL_SET } from '../caches';

const ROOT = join(__dirname, '..', '..', '..');
const SOURCES = join(ROOT, 'reconciler', 'src');

const page = readFileSync(join(ROOT, 'docs', 'reference', 'config-reconciler.md'), 'utf8');

/** What stands in backquotes in the first cells of the rows below a heading. */
function firstCells(heading: string): string[] {
  const section = page.split(`\n## ${heading}\n`)[1].split('\n## ')[0];
  return [...section.matchAll(/^\| ([^|]*) \|/gm)].flatMap(([, cell]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, word]) => word));
}

/** What the program's sources say, once each. */
function said(pattern: RegExp): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const found = files.flatMap((file) => [...readFileSync(join(SOURCES, file), 'utf8').matchAll(pattern)].map(([, word]) => word));
  return [...new Set(found)].sort();
}

test('every metric is told of, and no other', () => {
  expect(firstCells('Metrics').sort()).toEqual(said(/\b(?:count|gauge)\('([a-z_]+)'/g));
});

test('so is every argument, path and field of the configuration', () => {
  expect(firstCells('Arguments').map((argument) => argument.replace('--', '')).sort()).toEqual(said(/^ {6}'([-a-z]+)': \{ type: 'string'/gm));
  expect(firstCells('Paths').sort()).toEqual(said(/^ {4}'(\/[a-z]+)': \(\) =>/gm));
  expect(firstCells('Configuration').filter((field) => field !== 'clusters').sort()).toEqual(said(/^ {2}(\w+): \{ kind: '(?:text|boolean)'/gm));
});

test('and every rule of the Role', () => {
  const { chart, reconciler } = shared({ definitions: true });
  reconciler.addCluster(CacheCluster.fromName(chart, 'A', 'a'));
  reconciler.addCluster(CacheCluster.fromName(chart, 'B', 'b', { deploymentMode: STATEFUL_SET, clientCredentialsSecret: 'c' }), { removal: ConfigRemoval.REMOVE });
  const verbs = (text: string) => text.replace(/, /g, ',');
  const section = page.split('\n## Role\n')[1].split('\n## ')[0];
  const told = [...section.matchAll(/^\| `([^`]+)`(?:, by name)?: ([a-z, ]+)[|;]/gm)].map(([, resource, some]) => `${verbs(some.trim())} ${resource}`);
  expect(rulesOf(synthesise(chart)).map((rule) => rule.split(' ').slice(0, 2).join(' '))).toEqual(told);
});

/** Tests on real nodes. One file at a time: each starts what it needs. */
module.exports = {
  ...require('../package.json').jest,
  rootDir: '..',
  testMatch: ['<rootDir>/test/nodes/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 180_000,
  maxWorkers: 1,
  maxConcurrency: 3,
};

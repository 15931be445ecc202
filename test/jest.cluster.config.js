/** Tests on a real control plane with many fake nodes. One file at a time: each starts what it needs. */
module.exports = {
  ...require('../package.json').jest,
  rootDir: '..',
  testMatch: ['<rootDir>/test/cluster/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 180_000,
  maxWorkers: 1,
};

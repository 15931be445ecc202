/** Tests on a real control plane with many fake nodes. Two files at a time: each starts a control plane of its own. */
module.exports = {
  ...require('../package.json').jest,
  rootDir: '..',
  testMatch: ['<rootDir>/test/cluster/**/*.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 180_000,
  maxWorkers: 2,
};

/** Tests against programs in `.tools/`, and others that take long. */
module.exports = {
  ...require('../package.json').jest,
  rootDir: '..',
  testMatch: ['<rootDir>/test/**/*.real.test.ts'],
  testPathIgnorePatterns: ['/node_modules/'],
  testTimeout: 120_000,
};

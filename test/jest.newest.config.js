/** The unit tests once more, with the newest served cdk8s and constructs in place of the floors. */
const { jest } = require('../package.json');

module.exports = {
  ...jest,
  rootDir: '..',
  moduleNameMapper: {
    ...jest.moduleNameMapper,
    '^cdk8s$': '<rootDir>/node_modules/cdk8s-newest',
    '^constructs$': '<rootDir>/node_modules/constructs-newest',
  },
};

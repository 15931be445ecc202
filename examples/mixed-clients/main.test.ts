import { Testing } from 'cdk8s';
import { Authz, Shop } from './main';

test('the manifests are those of the last release', () => {
  const app = Testing.app();
  const authz = new Authz(app, 'authz');
  const shop = new Shop(app, 'shop', authz.opa);
  expect([...Testing.synth(authz), ...Testing.synth(shop)]).toMatchSnapshot();
});

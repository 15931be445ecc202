import { frozenAgents } from '../cluster/frozen-releases';
import { parseManifests, synthesiseRepresentative } from '../cluster/representative-agents';

/** What an object is known by, and what no apply can change. */
function identity({ apiVersion, kind, metadata, spec }: any) {
  const { name, namespace } = metadata;
  return { apiVersion, kind, name, namespace, selector: spec?.selector, clusterIP: spec?.clusterIP, target: spec?.scaleTargetRef };
}

/** Labels by which other objects find the pods. */
function podLabels({ kind, metadata, spec }: any) {
  return { kind, name: metadata.name, labels: spec?.template?.metadata.labels };
}

test.each(frozenAgents().map(({ release, agent, yaml }) => [release, agent, yaml]))('an upgrade from release %s renames and reselects nothing: %s', (_, agent, yaml) => {
  const [frozen, today] = [yaml, synthesiseRepresentative(agent)].map(parseManifests);
  expect(frozen.length).toBeGreaterThan(0);
  expect(today.map(identity)).toEqual(expect.arrayContaining(frozen.map(identity)));
  expect(today.map(podLabels)).toEqual(expect.arrayContaining(frozen.map((object) => (
    { ...podLabels(object), labels: object.spec?.template && expect.objectContaining(podLabels(object).labels) }
  ))));
});

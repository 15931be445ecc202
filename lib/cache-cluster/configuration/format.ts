import { Element, toJson, toXml, toYaml } from './element';

/** Formats that the server reads cache configurations in. */
export enum CacheConfigurationFormat {
  /** XML. */
  XML = 'XML',

  /** JSON. */
  JSON = 'JSON',

  /** YAML. */
  YAML = 'YAML',
}

export const RENDERERS: Record<CacheConfigurationFormat, (element: Element) => string> = {
  [CacheConfigurationFormat.XML]: toXml,
  [CacheConfigurationFormat.JSON]: toJson,
  [CacheConfigurationFormat.YAML]: toYaml,
};

/** The format that the operator takes a text for: it looks at the first character and at nothing else. */
export function formatOf(text: string): CacheConfigurationFormat {
  switch (text[0]) {
    case '<': return CacheConfigurationFormat.XML;
    case '{': return CacheConfigurationFormat.JSON;
    default: return CacheConfigurationFormat.YAML;
  }
}

// An app as users run it: `node two-hundred-agents.mjs <outdir>`. `synth.mjs` takes its time from outside.
import { addCerbos, newChart } from './agents.mjs';

const chart = newChart(process.argv[2]);
for (let number = 1; number <= 200; number++) addCerbos(chart, `cerbos-${number}`);
chart.node.root.synth();

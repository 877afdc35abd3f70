import { MESSAGE, type Outcome, type PictureStep } from './plan-steps';

export type Direction = 'across' | 'down';

export interface Box {
  readonly id: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Absent: the message, or the result. */
  readonly step?: PictureStep;
}

export interface Line {
  readonly from: string;
  readonly to: string;
  readonly path: string;
  /** Whether artifacts go along it; else it is a condition alone. */
  readonly carries: boolean;
  readonly outcome: Outcome | null;
  /** Where its words stand: in the middle of its last part. */
  readonly labelX: number;
  readonly labelY: number;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
}

const STEP_WIDTH = { across: 196, down: 158 } as const;
const STEP_HEIGHT = 78;
const END_WIDTH = 84;
const END_HEIGHT = 34;
const GAP_ACROSS = 100;
const GAP_DOWN = 52;
const GAP_BESIDE = 18;
const EDGE = 12;
/** A line that passes a layer has a place of its own in it. */
const PASS = 14;
const SWEEPS = 4;

export const START = '(message)';
export const END = '(result)';

interface Edge {
  readonly from: string;
  readonly to: string;
  readonly carries: boolean;
  readonly outcome: Outcome | null;
}

/** Layers of steps by how many come before each, with lines between them that pass no box. */
export function layoutOf(steps: readonly PictureStep[], direction: Direction): Layout {
  const byName = new Map(steps.map((step) => [step.name, step]));
  const edges = edgesOf(steps, byName);
  const layers = layersOf(steps, edges);
  const grid: string[][] = [];
  const put = (id: string, layer: number) => (grid[layer] ??= []).push(id);
  put(START, 0);
  for (const step of steps) put(step.name, layers.get(step.name)!);
  put(END, layers.get(END)!);
  const routes = edges.map((edge) => {
    const first = layers.get(edge.from)! + 1;
    const last = layers.get(edge.to)! - 1;
    const passes: string[] = [];
    for (let layer = first; layer <= last; layer += 1) {
      const id = `${edge.from}>${edge.to}@${layer}`;
      passes.push(id);
      put(id, layer);
    }
    return { edge, stops: [edge.from, ...passes, edge.to] };
  });
  sortLayers(grid, routes);
  return placed(grid, byName, routes, direction);
}

function edgesOf(
  steps: readonly PictureStep[],
  byName: ReadonlyMap<string, PictureStep>,
): readonly Edge[] {
  const edges: Edge[] = [];
  for (const step of steps) {
    const before = new Map<string, Outcome>();
    for (const { step: name, outcome } of step.after) {
      if (byName.has(name) && name !== step.name) before.set(name, outcome);
    }
    for (const [from, outcome] of before) {
      edges.push({ from, to: step.name, carries: step.inputs.includes(from), outcome });
    }
    if (before.size === 0) {
      edges.push({
        from: START,
        to: step.name,
        carries: step.inputs.includes(MESSAGE),
        outcome: null,
      });
    }
    if (step.isResult) edges.push({ from: step.name, to: END, carries: true, outcome: null });
  }
  return edges;
}

/** The longest way from the message to each; a way in a circle is left out. */
function layersOf(
  steps: readonly PictureStep[],
  edges: readonly Edge[],
): ReadonlyMap<string, number> {
  const layers = new Map<string, number>([[START, 0]]);
  const under = new Set<string>();
  const layerOf = (id: string): number => {
    const known = layers.get(id);
    if (known !== undefined) return known;
    if (under.has(id)) return 0;
    under.add(id);
    const before = edges.filter(({ to }) => to === id).map(({ from }) => layerOf(from));
    under.delete(id);
    const layer = Math.max(0, ...before) + 1;
    layers.set(id, layer);
    return layer;
  };
  for (const { name } of steps) layerOf(name);
  const last = Math.max(0, ...layers.values());
  layers.set(END, last + 1);
  return layers;
}

interface Route {
  readonly edge: Edge;
  readonly stops: readonly string[];
}

/** Puts what belongs together beside each other, so that few lines cross. */
function sortLayers(grid: string[][], routes: readonly Route[]): void {
  const before = new Map<string, string[]>();
  const after = new Map<string, string[]>();
  for (const { stops } of routes) {
    stops.slice(1).forEach((stop, index) => {
      const from = stops[index]!;
      before.set(stop, [...(before.get(stop) ?? []), from]);
      after.set(from, [...(after.get(from) ?? []), stop]);
    });
  }
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    const isForth = sweep % 2 === 0;
    const layers = isForth ? grid : [...grid].reverse();
    for (const layer of layers) {
      const places = new Map(grid.flatMap((each) => each.map((id, index) => [id, index] as const)));
      const wanted = new Map(
        layer.map((id, index) => {
          const near = (isForth ? before : after).get(id) ?? [];
          const sum = near.reduce((total, each) => total + places.get(each)!, 0);
          return [id, near.length === 0 ? index : sum / near.length] as const;
        }),
      );
      layer.sort((one, other) => wanted.get(one)! - wanted.get(other)!);
    }
  }
}

function placed(
  grid: readonly (readonly string[])[],
  byName: ReadonlyMap<string, PictureStep>,
  routes: readonly Route[],
  direction: Direction,
): Layout {
  const isAcross = direction === 'across';
  const sizeOf = (id: string) => {
    if (id === START || id === END) return { width: END_WIDTH, height: END_HEIGHT };
    if (byName.has(id)) return { width: STEP_WIDTH[direction], height: STEP_HEIGHT };
    return { width: PASS, height: PASS };
  };
  const besideOf = (id: string) => (isAcross ? sizeOf(id).height : sizeOf(id).width);
  const alongOf = (id: string) => (isAcross ? sizeOf(id).width : sizeOf(id).height);
  const breadths = grid.map((layer) =>
    layer.reduce((sum, id, index) => sum + besideOf(id) + (index > 0 ? GAP_BESIDE : 0), 0),
  );
  const breadth = Math.max(...breadths);
  const gap = isAcross ? GAP_ACROSS : GAP_DOWN;
  const boxes = new Map<string, Box>();
  let along = EDGE;
  grid.forEach((layer, index) => {
    const depth = Math.max(...layer.map(alongOf));
    let beside = EDGE + (breadth - breadths[index]!) / 2;
    for (const id of layer) {
      const step = byName.get(id);
      // A line goes straight past what it passes.
      const isPass = step === undefined && id !== START && id !== END;
      const length = isPass ? depth : alongOf(id);
      const start = along + (depth - length) / 2;
      const [x, y] = isAcross ? [start, beside] : [beside, start];
      const [width, height] = isAcross ? [length, besideOf(id)] : [besideOf(id), length];
      boxes.set(id, { id, x, y, width, height, ...(step && { step }) });
      beside += besideOf(id) + GAP_BESIDE;
    }
    along += depth + gap;
  });
  const length = along - gap + EDGE;
  const lines = routes.map((route) => lineOf(route, boxes, isAcross));
  return {
    width: isAcross ? length : breadth + 2 * EDGE,
    height: isAcross ? breadth + 2 * EDGE : length,
    boxes: [...boxes.values()].filter(({ id, step }) => step || id === START || id === END),
    lines,
  };
}

function lineOf({ edge, stops }: Route, boxes: ReadonlyMap<string, Box>, isAcross: boolean): Line {
  const places = stops.map((stop) => boxes.get(stop)!);
  let path = '';
  let middle: readonly [number, number] = [0, 0];
  places.slice(1).forEach((to, index) => {
    const from = places[index]!;
    const [x1, y1] = isAcross
      ? [from.x + from.width, from.y + from.height / 2]
      : [from.x + from.width / 2, from.y + from.height];
    const [x2, y2] = isAcross ? [to.x, to.y + to.height / 2] : [to.x + to.width / 2, to.y];
    const [mx, my] = [(x1 + x2) / 2, (y1 + y2) / 2];
    path += index === 0 ? `M${x1} ${y1}` : `L${x1} ${y1}`;
    if (isAcross ? y1 === y2 : x1 === x2) path += `L${x2} ${y2}`;
    else if (isAcross) path += `C${mx} ${y1} ${mx} ${y2} ${x2} ${y2}`;
    else path += `C${x1} ${my} ${x2} ${my} ${x2} ${y2}`;
    middle = [mx, my];
  });
  return { ...edge, path, labelX: middle[0], labelY: middle[1] + 4 };
}

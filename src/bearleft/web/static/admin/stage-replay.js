// A replay in the 3-D view of ArraMon: what the worker saw, the way from above, and the room's diagram.

import { el } from '../../shared/dom.js';
import { createMapView } from '../../shared/map-view.js';
import { getJson } from '../api.js';
import { createDiagram } from '../arramon/diagram.js';
import { createStage } from '../arramon/stage.js';
import { worldUrl } from '../unit-page.js';

const MOTION = 120; // milliseconds from step to step

/**
 * Open the view in a node, and return a function that shows a step by its number.
 *
 * options:
 *   scenes         what stood around, as the server sent it
 *   steps          each with the number of its scene, the pose and the leg
 *   legs           what was to be found: line and target, or outline, of each leg
 *   isGoalShown()  whether that is shown
 */
export async function openStage(parent, { scenes, steps, legs, isGoalShown }) {
  const box = el('div', { class: 'stage-box' });
  const map = createMapView({ label: 'Map, north up: the way that the worker went' });
  const diagram = createDiagram();
  parent.append(box, map.node, diagram.node);
  showBackground(map, scenes);
  let stage;
  try {
    stage = await createStage(box, { label: 'What the worker saw', acts: false });
  } catch (error) {
    box.append(el('p', { class: 'message', role: 'alert' }, error.message));
    return () => {};
  }
  let shown = null; // scene, leg and whether the goal is shown
  let wanted = null;
  let working = false;

  const goalOf = (step) => (isGoalShown() ? legs[step.leg] ?? {} : {});
  // Positions of a leg so far.
  function wayTo(number) {
    const { leg } = steps[number];
    return steps.slice(0, number + 1).filter((one) => one.leg === leg && one.pose?.position).map((one) => one.pose.position.slice(0, 2));
  }
  function showAbove(step, number) {
    const { pose } = step;
    const inRoom = pose.place === 'room';
    map.node.hidden = inRoom;
    diagram.node.hidden = !inRoom;
    if (inRoom) {
      diagram.setPose(scenes[step.scene].carried ? pose : { ...pose, ahead: null });
      return;
    }
    const route = goalOf(step).line ?? [];
    map.update({
      route, end: route.at(-1) ?? null, start: wayTo(number)[0] ?? null, paths: [{ points: wayTo(number), colour: '--agent-0' }],
      position: { at: pose.position.slice(0, 2), heading: pose.heading, colour: '--agent-0' },
    });
  }
  // Scenes are loaded one at a time; of steps that were skipped meanwhile only the last one is shown.
  async function work() {
    working = true;
    while (wanted !== null) {
      const number = wanted;
      wanted = null;
      const step = steps[number];
      const name = JSON.stringify([step.scene, isGoalShown() && step.leg]);
      if (name === shown) {
        stage.moveTo(step.pose, MOTION);
      } else {
        const scene = scenes[step.scene];
        await stage.show({ ...goalOf(step), ...scene }, step.pose);
        if (scene.place === 'room') diagram.setScene(scene);
        shown = name;
      }
      showAbove(step, number);
      stage.canvas.dataset.step = number;
    }
    working = false;
  }
  return (step, number) => {
    if (step.scene === null || !step.pose) return;
    wanted = number;
    if (!working) work();
  };
}

/** Draw the buildings of the sections on the map when they have come; the way is shown without them, too. */
async function showBackground(map, scenes) {
  const outdoors = scenes.find((scene) => scene.place === 'city');
  if (!outdoors) return;
  try {
    const { marks } = await getJson(`${worldUrl(outdoors.world)}/map`);
    map.update({ marks });
    map.node.dataset.marks = marks.length;
  } catch {
    // a world that the server no longer has
  }
}

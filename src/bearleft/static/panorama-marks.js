// Marks on panoramas, flat or in the viewer: the target, answers and looks.
// A mark is {kind, direction: [heading, pitch], colour, label, shortLabel}; its kind is target, answer, look or view, its colour a CSS variable.

import { cssValue } from './dom.js';

const MIN_LABEL_WIDTH = 480; // pixels: narrower panoramas have short labels

/** Paint marks at `pixelOf(heading, pitch)`, with labels that do not overlap. */
export function paintPanoramaMarks({ context, width, height }, marks, pixelOf, small = false) {
  const occupied = [];
  const labelled = [];
  for (const mark of marks) {
    const pixel = pixelOf(...mark.direction);
    if (!pixel || pixel[0] < -20 || pixel[1] < -20 || pixel[0] > width + 20 || pixel[1] > height + 20) continue;
    paintPanoramaMark(context, mark, pixel, small);
    occupied.push([pixel[0] - 12, pixel[1] - 12, pixel[0] + 12, pixel[1] + 12]);
    if (mark.kind === 'target' || mark.kind === 'answer') labelled.push([mark, pixel]);
  }
  if (small) return;
  // On narrow panoramas only the colours tell agents apart.
  for (const [mark, pixel] of labelled) {
    const label = width < MIN_LABEL_WIDTH ? mark.shortLabel : mark.label;
    if (label) paintLabel(context, label, mark.colour, pixel, occupied, width, height);
  }
}

function strokeWithOutline(context, colour, width) {
  context.lineWidth = width + 3;
  context.strokeStyle = 'rgba(0, 0, 0, 0.75)';
  context.stroke();
  context.lineWidth = width + 1.5;
  context.strokeStyle = '#fff';
  context.stroke();
  context.lineWidth = width;
  context.strokeStyle = colour;
  context.stroke();
}

function paintPanoramaMark(context, { kind, colour, label, elsewhere }, [x, y], small) {
  const rgb = cssValue(colour) || '#ce1e36';
  context.lineCap = 'round';
  context.beginPath();
  if (kind === 'target') {
    context.arc(x, y, small ? 7 : 13, 0, 2 * Math.PI);
    strokeWithOutline(context, rgb, small ? 2 : 3);
  } else if (elsewhere) {
    // A hollow square instead of a cross: the answer does not refer to this picture.
    const half = small ? 4 : 7;
    context.rect(x - half, y - half, 2 * half, 2 * half);
    strokeWithOutline(context, rgb, small ? 1 : 2);
  } else if (kind === 'answer') {
    const arm = small ? 4 : 8;
    for (const [dx, dy] of [[1, 1], [1, -1]]) {
      context.moveTo(x - arm * dx, y - arm * dy);
      context.lineTo(x + arm * dx, y + arm * dy);
    }
    strokeWithOutline(context, rgb, small ? 2 : 3);
  } else if (!small) paintNumber(context, label, x, y, kind === 'view' ? '#fff' : rgb);
}

// Looks of people have a white ring, looks of agents their colour.
function paintNumber(context, label, x, y, ring) {
  context.arc(x, y, 10, 0, 2 * Math.PI);
  context.fillStyle = 'rgba(20, 22, 28, 0.82)';
  context.fill();
  context.lineWidth = 2.5;
  context.strokeStyle = ring;
  context.stroke();
  context.fillStyle = '#fff';
  context.font = '600 11px system-ui, sans-serif';
  context.textAlign = 'center';
  context.textBaseline = 'middle';
  context.fillText(label, x, y + 0.5);
}

function paintLabel(context, label, colour, [x, y], occupied, width, height) {
  context.font = '600 13px system-ui, sans-serif';
  const labelWidth = context.measureText(label).width + 22;
  const offsets = [[18, -10], [-18 - labelWidth, -10], [-labelWidth / 2, -38], [-labelWidth / 2, 18], [18, 14], [-18 - labelWidth, 14], [18, -36], [18, 38], [-labelWidth / 2, 44], [-labelWidth / 2, -64]];
  const boxes = offsets.map(([dx, dy]) => [x + dx, y + dy, x + dx + labelWidth, y + dy + 20]);
  const inside = boxes.filter((box) => box[0] >= 2 && box[2] <= width - 2 && box[1] >= 2 && box[3] <= height - 2);
  const free = (box) => !occupied.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1]);
  const box = inside.find(free) || inside[0] || boxes[0];
  occupied.push(box);
  context.fillStyle = 'rgba(16, 18, 24, 0.82)';
  context.beginPath();
  context.roundRect(box[0], box[1], labelWidth, 20, 5);
  context.fill();
  context.fillStyle = cssValue(colour) || '#ce1e36';
  context.beginPath();
  context.arc(box[0] + 10, box[1] + 10, 4, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = '#fff';
  context.stroke();
  context.fillStyle = '#fff';
  context.textAlign = 'left';
  context.textBaseline = 'middle';
  context.fillText(label, box[0] + 18, box[1] + 10.5);
}

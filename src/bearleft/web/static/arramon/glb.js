// glTF files as bearleft writes them: meshes of one primitive with a picture, normals of bytes, coordinates of 16 bits.

const MAGIC = 0x46546c67;
const ARRAYS = { 5120: Int8Array, 5121: Uint8Array, 5123: Uint16Array, 5125: Uint32Array, 5126: Float32Array };
const WIDTHS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };

/**
 * Load a model: {parts, extras}. A part is {name, offset, position, normal, uv, index, picture}: `position`, `normal` and `uv` are {array, width, scale}
 * with `width` numbers for each corner, which times `scale` are metres, unit vectors and shares of the picture.
 */
export async function loadModel(url) {
  const response = await fetch(url, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`The 3-D model could not be loaded (${response.status}).`);
  return readModel(await response.arrayBuffer());
}

async function readModel(buffer) {
  const header = new DataView(buffer);
  if (header.getUint32(0, true) !== MAGIC) throw new Error('This is no 3-D model.');
  const length = header.getUint32(12, true);
  const json = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 20, length)));
  const start = 20 + length + 8;

  const bytes = (k) => {
    const { byteOffset = 0, byteLength } = json.bufferViews[k];
    return new Uint8Array(buffer, start + byteOffset, byteLength);
  };
  function attribute(k) {
    const { bufferView, componentType, count, type, normalized } = json.accessors[k];
    const { byteOffset = 0, byteStride } = json.bufferViews[bufferView];
    const Values = ARRAYS[componentType];
    const width = byteStride ? byteStride / Values.BYTES_PER_ELEMENT : WIDTHS[type];
    const scale = normalized ? 1 / (2 ** (8 * Values.BYTES_PER_ELEMENT - (Values === Int8Array ? 1 : 0)) - 1) : 1;
    return { array: new Values(buffer, start + byteOffset, count * width), width, scale };
  }
  function picture(material) {
    const { bufferView, mimeType } = json.images[json.textures[material.pbrMetallicRoughness.baseColorTexture.index].source];
    return createImageBitmap(new Blob([bytes(bufferView)], { type: mimeType }), { premultiplyAlpha: 'none', colorSpaceConversion: 'none' });
  }
  const offset = json.nodes.find((node) => node.translation)?.translation ?? [0, 0, 0];
  const parts = json.nodes.filter((node) => node.mesh !== undefined).map(async (node) => {
    const { attributes, indices, material } = json.meshes[node.mesh].primitives[0];
    return {
      name: node.name, offset,
      position: attribute(attributes.POSITION), normal: attribute(attributes.NORMAL), uv: attribute(attributes.TEXCOORD_0),
      index: attribute(indices).array, picture: await picture(json.materials[material]),
    };
  });
  return { parts: await Promise.all(parts), extras: json.asset.extras ?? {} };
}

// bearleft's light in three.js: the sun, the sky's half sphere, haze, and how light becomes bytes.
import * as THREE from 'three';

// Haze by metres, before tones; tones as the renderer has them: the square root, with bright light rolled off.
function teach() {
  const chunk = THREE.ShaderChunk;
  const before = [chunk.fog_fragment, chunk.fog_vertex, chunk.tonemapping_pars_fragment];
  const haze = chunk.fog_fragment.replace('fogDensity * fogDensity * vFogDepth * vFogDepth', 'fogDensity * vFogDepth');
  chunk.fog_vertex = chunk.fog_vertex.replace('- mvPosition.z', 'length( mvPosition.xyz )');
  chunk.tonemapping_pars_fragment = chunk.tonemapping_pars_fragment.replace(
    'vec3 CustomToneMapping( vec3 color ) { return color; }',
    'vec3 CustomToneMapping( vec3 color ) { return sqrt( mix( color, 1.0 - 0.04 / max( color - 0.6, 0.04 ), step( 0.8, color ) ) ); }',
  );
  if (haze === before[0] || chunk.fog_vertex === before[1] || chunk.tonemapping_pars_fragment === before[2]) {
    throw new Error('this three.js has other shaders than the one this page was written for');
  }
  chunk.tonemapping_fragment = haze + '\n' + chunk.tonemapping_fragment;
  chunk.fog_fragment = '';
}
teach();

// The renderer's sky by day: a gradient, clouds on a plane high above, the sun, and haze.
const SKY = `
varying vec3 way;
uniform vec3 horizon, zenith, above, sun, shine;
uniform float fog, clouds;
float noise( int a, int b, int c ) {
  uint h = uint( a ) * 374761393u + uint( b ) * 668265263u + uint( c ) * 1274126177u;
  h = ( h ^ ( h >> 13 ) ) * 1103515245u;
  return float( ( h ^ ( h >> 15 ) ) & 0xffffu ) / 65536.0;
}
float smoothed( vec2 at, int c ) {
  ivec2 k = ivec2( floor( at ) );
  vec2 f = fract( at );
  f = f * f * ( 3.0 - 2.0 * f );
  return mix( mix( noise( k.x, k.y, c ), noise( k.x + 1, k.y, c ), f.x ), mix( noise( k.x, k.y + 1, c ), noise( k.x + 1, k.y + 1, c ), f.x ), f.y );
}
void main() {
  vec3 d = normalize( way );
  float up = max( d.y, 0.0 );
  vec3 light = mix( horizon, zenith, sqrt( up ) );
  if ( up > 0.03 && clouds > 0.0 ) {
    vec2 at = vec2( d.x, - d.z ) * 1.8 / ( up + 0.12 );
    float thick = 0.6 * smoothed( at, 11 ) + 0.28 * smoothed( at * 2.3, 12 ) + 0.12 * smoothed( at * 5.1, 13 );
    thick = clamp( ( thick - 1.0 + 0.75 * clouds + 0.22 ) * 3.2, 0.0, 1.0 ) * min( up * 6.0, 1.0 );
    light = mix( light, ( 0.3 + above.r * 1.5 ) * vec3( 1.0, 1.0, 1.03 ), 0.62 * thick );
  }
  if ( dot( d, sun ) > 0.9994 ) light += shine * 2.0;
  gl_FragColor = vec4( mix( light, horizon, 1.0 - exp( - fog * 60.0 / ( up + 0.05 ) ) ), 1.0 );
  #include <tonemapping_fragment>
}`;

const SHADOWED = { streets: 80, rooms: 12 }; // metres around the camera
const AWAY = 400; // metres from there to where three.js has the sun
const colour = (rgb) => new THREE.Color().setRGB(...rgb, THREE.LinearSRGBColorSpace);
const turned = ([east, north, up]) => new THREE.Vector3(east, up, -north);

// What throws shadows: everything below the lid, which is high above streets and below the ceilings of rooms.
function belowLid(lid) {
  const material = new THREE.MeshDepthMaterial({ depthPacking: THREE.RGBADepthPacking });
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = 'varying float height;\n' + shader.vertexShader.replace(
      '#include <project_vertex>', '#include <project_vertex>\n height = ( modelMatrix * vec4( transformed, 1.0 ) ).y;');
    shader.fragmentShader = 'varying float height;\n' + shader.fragmentShader.replace(
      'void main() {', `void main() {\n if ( height > ${lid.toFixed(3)} ) discard;`);
  };
  return material;
}

export class Light {
  constructor(scene, renderer, given) {
    renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    renderer.toneMapping = THREE.CustomToneMapping;
    renderer.shadowMap.enabled = true;
    // three.js divides by pi what a matt surface throws back; our renderer does not.
    this.sun = new THREE.DirectionalLight(colour(given.sun_colour), Math.PI);
    this.towards = turned(given.sun);
    this.sun.castShadow = true;
    this.shadow = given.lid < 1000 ? belowLid(given.lid) : undefined; // the material of shadows, where it is not the usual one
    this.sun.shadow.mapSize.set(4096, 4096);
    this.sun.shadow.normalBias = 0.02;
    this.sun.shadow.bias = -0.02 / (AWAY * 2); // 2 cm
    const reach = this.shadow ? SHADOWED.rooms : SHADOWED.streets;
    Object.assign(this.sun.shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0, far: AWAY * 2 });
    scene.add(this.sun, this.sun.target, new THREE.HemisphereLight(colour(given.above), colour(given.below), Math.PI));
    scene.fog = new THREE.FogExp2(colour(given.horizon), given.fog);
    this.sky = new THREE.Mesh(new THREE.SphereGeometry(1200, 32, 16), new THREE.ShaderMaterial({
      side: THREE.BackSide,
      depthWrite: false,
      uniforms: {
        horizon: { value: colour(given.horizon) }, zenith: { value: colour(given.zenith) }, above: { value: colour(given.above) },
        sun: { value: this.towards }, shine: { value: colour(given.sun_colour) },
        fog: { value: given.fog }, clouds: { value: given.clouds },
      },
      vertexShader: 'varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 ); }',
      fragmentShader: SKY,
    }));
    scene.add(this.sky);
  }

  // Sky and shadows go with the camera.
  follow(at) {
    this.sky.position.copy(at);
    this.sun.target.position.set(at.x, 0, at.z);
    this.sun.position.copy(this.sun.target.position).addScaledVector(this.towards, AWAY);
  }
}

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

const SHADOWED = 100; // metres around the camera
const colour = (rgb) => new THREE.Color().setRGB(...rgb, THREE.LinearSRGBColorSpace);
const turned = ([east, north, up]) => new THREE.Vector3(east, up, -north);

export class Light {
  constructor(scene, renderer, given) {
    renderer.outputColorSpace = THREE.LinearSRGBColorSpace;
    renderer.toneMapping = THREE.CustomToneMapping;
    renderer.shadowMap.enabled = true;
    // three.js divides by pi what a matt surface throws back; our renderer does not.
    this.sun = new THREE.DirectionalLight(colour(given.sun_colour), Math.PI);
    this.towards = turned(given.sun);
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(4096, 4096);
    this.sun.shadow.normalBias = 0.04;
    this.sun.shadow.bias = -0.0005;
    Object.assign(this.sun.shadow.camera, { left: -SHADOWED, right: SHADOWED, top: SHADOWED, bottom: -SHADOWED, near: 1, far: 1000 });
    scene.add(this.sun, this.sun.target, new THREE.HemisphereLight(colour(given.above), colour(given.below), Math.PI));
    scene.fog = new THREE.FogExp2(colour(given.horizon), given.fog);
    this.sky = new THREE.Mesh(new THREE.SphereGeometry(1200, 32, 16), new THREE.ShaderMaterial({
      side: THREE.BackSide,
      depthWrite: false,
      uniforms: { horizon: { value: colour(given.horizon) }, zenith: { value: colour(given.zenith) }, fog: { value: given.fog } },
      vertexShader: 'varying vec3 way; void main() { way = position; gl_Position = projectionMatrix * modelViewMatrix * vec4( position, 1.0 ); }',
      fragmentShader: `varying vec3 way; uniform vec3 horizon, zenith; uniform float fog;
        void main() {
          float up = max( normalize( way ).y, 0.0 );
          float haze = 1.0 - exp( - fog * 60.0 / ( up + 0.05 ) );
          gl_FragColor = vec4( mix( mix( horizon, zenith, sqrt( up ) ), horizon, haze ), 1.0 );
          #include <tonemapping_fragment>
        }`,
    }));
    scene.add(this.sky);
  }

  // Sky and shadows go with the camera.
  follow(at) {
    this.sky.position.copy(at);
    this.sun.target.position.set(at.x, 0, at.z);
    this.sun.position.copy(this.sun.target.position).addScaledVector(this.towards, 500);
  }
}

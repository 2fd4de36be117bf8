// One vertex and one fragment program for every material: twelve features, each switched by a
// uniform (LP-21). A scene with four of them on pays for twelve, unless the programs are linked for
// the values of its uniforms.
struct Features {
    diffuse: u32,
    specular: u32,
    rim: u32,
    hemisphere: u32,
    checker: u32,
    stripes: u32,
    fog: u32,
    tint: u32,
    gamma: u32,
    cutout: u32,
    contours: u32,
    sway: u32,
}

struct Uniforms {
    mvp: mat4x4f,
    eye: vec4f,
    light: vec4f,
    colour: vec4f,
    second: vec4f,
    sky: vec4f,
    ground: vec4f,
    mist: vec4f,
    // Power of the highlight, scale of patterns, density of fog, time.
    numbers: vec4f,
    on: Features,
}

@group(0) @binding(0) var<uniform> u: Uniforms;

struct Vertex {
    @builtin(position) clip: vec4f,
    @location(0) position: vec3f,
    @location(1) normal: vec3f,
    @location(2) uv: vec2f,
    @location(3) distance: f32,
    @location(4) height: f32,
}

@vertex
fn vertex(@location(0) position: vec3f) -> Vertex {
    var p = position;
    if u.on.sway != 0u {
        p.x += 0.05 * sin(u.numbers.w + 2.0 * p.y);
    }
    var out: Vertex;
    out.clip = u.mvp * vec4f(p, 1.0);
    out.position = p;
    // Of a ball around the origin.
    out.normal = position;
    out.uv = vec2f(p.x + p.z, p.y);
    out.distance = length(u.eye.xyz - p);
    out.height = p.y;
    return out;
}

@fragment
fn fragment(v: Vertex) -> @location(0) vec4f {
    let n = normalize(v.normal);
    let to_eye = normalize(u.eye.xyz - v.position);
    let to_light = normalize(u.light.xyz);
    var base = u.colour.rgb;
    if u.on.checker != 0u {
        let cell = floor(v.uv * u.numbers.y);
        if fract((cell.x + cell.y) * 0.5) > 0.25 {
            base = u.second.rgb;
        }
    }
    if u.on.stripes != 0u {
        base = mix(base, u.second.rgb, 0.5 + 0.5 * sin(v.uv.y * u.numbers.y * 6.0));
    }
    if u.on.cutout != 0u {
        if fract(v.uv.x * u.numbers.y) < 0.2 {
            discard;
        }
    }
    var light = vec3f(0.2);
    if u.on.hemisphere != 0u {
        light = mix(u.ground.rgb, u.sky.rgb, 0.5 + 0.5 * n.y);
    }
    if u.on.diffuse != 0u {
        light += vec3f(max(dot(n, to_light), 0.0));
    }
    var out = base * light;
    if u.on.specular != 0u {
        let middle = normalize(to_light + to_eye);
        out += vec3f(pow(max(dot(n, middle), 0.0), u.numbers.x));
    }
    if u.on.rim != 0u {
        let rim = 1.0 - max(dot(n, to_eye), 0.0);
        out += u.sky.rgb * rim * rim * rim;
    }
    if u.on.contours != 0u {
        out *= 0.75 + 0.25 * smoothstep(0.1, 0.2, fract(v.height * u.numbers.y));
    }
    if u.on.tint != 0u {
        out *= u.second.rgb;
    }
    if u.on.fog != 0u {
        out = mix(u.mist.rgb, out, exp(-v.distance * u.numbers.z));
    }
    if u.on.gamma != 0u {
        out = pow(max(out, vec3f(0.0)), vec3f(1.0 / 2.2));
    }
    return vec4f(out, 1.0);
}

use crate::room::Room;
use serde_json::json;

#[test]
fn contact_settings_are_listed() {
    let room = Room::new("contact_inspect");
    let about = room.fine(&["inspect", "slide-incline", "--json"]);
    let contact = &about["contact"];
    let surface = |mu: f64| json!({ "static_friction": mu, "dynamic_friction": mu, "restitution": 0.0, "tangential_restitution": 0.0 });
    assert_eq!(contact["materials"][1], json!({ "name": "wood", "surface": surface(0.3) }));
    assert_eq!(contact["pairs"][2], json!({ "of": ["wood", "rubber"], "surface": surface(0.6) }));
    assert_eq!(contact["links"], json!({ "wood/block": "wood", "rubber/block": "rubber" }));
    let ground = &contact["ground"][0];
    assert_eq!(
        (&ground["name"], &ground["kind"], &ground["material"]),
        (&json!("incline"), &json!("plane"), &json!("wood"))
    );
    let text = room.run(&["inspect", "slide-incline"]).out;
    for part in [
        "ground incline: plane, tilted by 25.0 deg at 0.000, 0.000, 0.000, of wood",
        "material wood (1 link): friction 0.3, restitution 0",
        "wood on rubber: friction 0.6, restitution 0",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = room.run(&["inspect", "fall-28"]).out;
    assert!(text.contains("ground stairs-8: box of 0.29 x 1.6 x 1.36 m at -2.175, "), "{text}");
    assert_eq!(room.fine(&["inspect", "pendulum", "--json"])["contact"], json!(null));
    assert_eq!(room.fine(&["inspect", "human-28", "--json"])["contact"], json!(null));
}

#[test]
fn a_run_writes_tables_and_pictures_of_contacts() {
    let room = Room::new("contact_run");
    let run = room.fine(&["simulate", "stand-28", "--duration", "0.2", "--out", "run", "--json"]);
    let contact = &run["contact"];
    for field in [
        "steps",
        "passes_max",
        "passes_mean",
        "fallbacks",
        "violations",
        "cuts",
        "unsolved",
        "impacts",
        "penetration_max_m",
    ] {
        assert!(contact[field].is_number(), "{field}: {contact}");
    }
    let table = room.read("run/contacts.csv");
    assert!(
        table.starts_with("t,link,px,py,pz,fx,fy,fz,nx,ny,nz,other,cx,cy,cz,state,slip,solver\n"),
        "{}",
        table.lines().next().unwrap_or("")
    );
    assert!(table.lines().all(|l| l.split(',').count() == 18), "{table}");
    for picture in ["contacts", "frames"] {
        let svg = room.read(&format!("run/{picture}.svg"));
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{picture}");
    }
    // the floor is drawn behind the figure
    assert!(room.read("run/frames.svg").contains("clip-path=\"url(#pose0)\""));
    let text = room.run(&["simulate", "stand-28", "--duration", "0.01"]).out;
    assert!(text.contains("contact in ") || text.contains("no contact"), "{text}");
    room.fine(&["simulate", "pendulum", "--duration", "0.01", "--out", "free", "--json"]);
    let files = std::fs::read_dir(room.path("free")).unwrap();
    let names: Vec<String> = files.map(|f| f.unwrap().file_name().to_string_lossy().into_owned()).collect();
    assert!(!names.iter().any(|n| n.starts_with("contacts")), "{names:?}");
}

#[test]
fn conversion_drops_the_ground_with_a_warning() {
    let room = Room::new("contact_convert");
    let done = room.fine(&["convert", "drop-box", "box.urdf", "--json"]);
    assert!(done["warnings"][0].as_str().unwrap().contains("without ground and materials"), "{done}");
}

#[test]
fn wrong_ground_is_refused() {
    let room = Room::new("contact_wrong");
    room.write(
        "s.toml",
        "[[figure]]\nuse = \"human-28\"\n[[ground]]\nkind = \"plane\"\nmaterial = \"rubbr\"\n\
        [[material]]\nname = \"rubber\"\n",
    );
    let got = room.run(&["simulate", "s.toml"]);
    assert_eq!(got.code, 2);
    let expected =
        "s.toml:5:12: material of ground 1: there is no material `rubbr`; the nearest are `rubber`";
    assert!(got.err.contains(expected), "{}", got.err);
}

#[test]
fn overlapping_shapes_at_the_start_are_reported() {
    let room = Room::new("contact_overlap");
    let text = "[[figure]]\nuse = \"human-28\"\n[[ground]]\nname = \"floor\"\nkind = \"plane\"\n";
    room.write("stand.toml", text);
    room.write("low.json", r#"{"q": {"root": [0, 0, 0.928, 1, 0, 0, 0]}}"#);
    let run = |more: &[&str]| room.run(&[&["simulate", "stand.toml", "--duration", "0.01"], more].concat());
    assert_eq!(run(&[]).err, "");
    let got = run(&["--state", "low.json"]);
    let expected =
        "warning: stand.toml: `left_foot` starts 12 mm inside `floor`; they are separated gradually";
    assert!(got.code == 0 && got.err.contains(expected), "{}", got.err);
    // the scene's own overlaps are reported once
    room.write("low.toml", text.replace("human-28\"", "human-28\"\nat = [0, 0, -0.012]"));
    let got = room.run(&["simulate", "low.toml", "--duration", "0.01"]);
    assert_eq!(got.err.matches("`left_foot` starts 12 mm inside `floor`").count(), 1, "{}", got.err);
}
